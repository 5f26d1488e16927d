import { expect, test } from "vitest";
import { userDataScripts } from "../../infra/build/user-data-scripts.ts";

test("the shell scripts of user data are all found, so that check:deploy looks at them", () => {
  const scripts = userDataScripts();
  expect(scripts.map(({ name }) => name)).toEqual([
    "boot script of KiCI's agents",
    "agent script of KiCI's agents",
    "infra/examples/zoomies-group.yaml, command 2",
  ]);
  for (const { name, text } of scripts) {
    expect(text, name).toMatch(/^#!\/bin\/sh\n./);
    expect(text, name).not.toContain("undefined");
  }
});
