import { expect, test } from "vitest";
import { stoppable } from "../../lib/edge/stoppable.ts";

test("a port begins nothing once the answer has left", async () => {
  const done: string[] = [];
  const deadline = { over: false };
  const port = stoppable({ write: async (what: string) => void done.push(what) }, deadline);
  await port.write("before");
  deadline.over = true;
  await expect(port.write("after")).rejects.toThrow("write was not begun: the answer has left.");
  expect(done).toEqual(["before"]);
});
