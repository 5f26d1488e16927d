import { describe, expect, test } from "vitest";
import { errorFields, jsonLogger } from "../../lib/edge/logger.ts";

function written(use: (logger: ReturnType<typeof jsonLogger>) => void): unknown[] {
  const lines: string[] = [];
  use(jsonLogger((line) => lines.push(line)));
  return lines.map((line) => JSON.parse(line));
}

describe("a log line", () => {
  test("is one JSON object in one line, with level and message", () => {
    const lines: string[] = [];
    jsonLogger((line) => lines.push(line)).log("warn", "refused", { detail: "two\nlines", status: 400 });
    expect(lines).toEqual(['{"level":"warn","message":"refused","detail":"two\\nlines","status":400}']);
  });

  test("carries the fields of its logger, the correlation id first of all, then its own", () => {
    const lines = written((logger) => {
      const inner = logger.with({ correlationId: "r-1" }).with({ poolId: "pool_1" });
      inner.log("info", "decision", { from: 2, poolId: "pool_2" });
      logger.log("info", "other");
    });
    expect(lines).toEqual([
      { level: "info", message: "decision", correlationId: "r-1", poolId: "pool_2", from: 2 },
      { level: "info", message: "other" },
    ]);
  });

  test("keeps its own level and message, whatever the fields are called", () => {
    const lines = written((logger) =>
      logger.with({ level: "x" }).log("error", "finding", { message: "y", level: "z" }),
    );
    expect(lines).toEqual([{ level: "error", message: "finding" }]);
  });
});

describe("an error in a log line", () => {
  test("shows its name and message and those of its causes, and no stack", () => {
    const root = Object.assign(new Error("no route to host"), { name: "TimeoutError" });
    const fields = errorFields(
      new TypeError("The ledger could not be reached.", { cause: new Error("b", { cause: root }) }),
    );
    expect(fields).toEqual({
      error: "TypeError",
      detail: "The ledger could not be reached.",
      cause: { error: "Error", detail: "b", cause: { error: "TimeoutError", detail: "no route to host" } },
    });
    expect(JSON.stringify(fields)).not.toMatch(/stack|\.ts:\d+|\bat /);
  });

  test("shows nothing that was hung onto it, such as a request with its headers", () => {
    const error = Object.assign(new Error("refused"), { $response: { headers: { authorization: "hush" } } });
    expect(JSON.stringify(errorFields(error))).not.toContain("hush");
  });

  test.each([
    ["text", "text"],
    [undefined, "undefined"],
    [null, "null"],
    [7, "7"],
  ])("that is no error but %j is shown as text", (thrown, text) => {
    expect(errorFields(thrown)).toEqual({ error: text });
  });
});
