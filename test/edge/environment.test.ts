import { describe, expect, test } from "vitest";
import { environment } from "../../lib/edge/environment.ts";

describe("a setting of the environment", () => {
  const env = environment({ DROVER_STACK: "prod", DROVER_EMPTY: "", DROVER_FRESH: "15", DROVER_HALF: "0.5" });

  test("is read as text, or in minutes as milliseconds", () => {
    expect(env.text("DROVER_STACK")).toBe("prod");
    expect(env.minutes("DROVER_FRESH")).toBe(900_000);
    expect(env.minutes("DROVER_HALF")).toBe(30_000);
  });

  test.each(["DROVER_MISSING", "DROVER_EMPTY"])("%s stops the function with the name to fix", (name) => {
    expect(() => env.text(name)).toThrow(name);
    expect(() => env.minutes(name)).toThrow(name);
  });

  test.each(["0", "-1", "ten", "5m", "NaN", "Infinity"])("%j is no number of minutes", (value) => {
    expect(() => environment({ DROVER_FRESH: value }).minutes("DROVER_FRESH")).toThrow(
      "Environment variable DROVER_FRESH must be a number of minutes above 0.",
    );
  });
});
