import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventParser } from "../../lib/helmr/event-parser.ts";

function namesIn(...chunks: (string | Buffer)[]): string[] {
  const names: string[] = [];
  const parse = eventParser((name) => names.push(name));
  for (const chunk of chunks) parse(Buffer.from(chunk));
  return names;
}

describe("an event stream", () => {
  it.each([
    ["an event without data", "event: change\n\n", ["change"]],
    ["an event with data in several lines", "event: change\ndata: {\ndata: }\n\n", ["change"]],
    ["carriage returns with line feeds", "event: change\r\n\r\n", ["change"]],
    ["carriage returns alone", "event: change\r\rdata: x\r\r", ["change", "message"]],
    ["no blank after the colon", "event:change\n\n", ["change"]],
    ["heartbeats", ": heartbeat\n\n:\n\n\n\n", []],
    ["an unknown field", "retry: 10\nid: 7\n\n", []],
    ["an event of the future", "event: plan\ndata: {}\n\nevent: change\n\n", ["plan", "change"]],
    ["data only", "data: x\n\n", ["message"]],
    ["an event that does not end", "event: change\n", []],
    ["a name of one event not kept for the next", "event: change\n\ndata: x\n\n", ["change", "message"]],
  ])("%s", (_name, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it("means the same wherever it is split, inside a character too", () => {
    const stream = Buffer.from(
      ": herzschlag ♥\r\n\r\nevent: change\r\ndata: ü♥\r\n\r\nevent: other\n\n:\revent: change\r\r",
      "utf8",
    );
    const whole = namesIn(stream);
    expect(whole).toEqual(["change", "other", "change"]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: stream.length })), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const pieces = at.slice(1).map((end, index) => stream.subarray(at[index], end));
        expect(namesIn(...pieces)).toEqual(whole);
      }),
    );
  });

  it("drops an endless line, however it comes, and reads on after it", () => {
    const piece = Buffer.alloc(1_000, "x");
    const names = namesIn(
      "event: change\ndata: ",
      ...Array.from({ length: 2_000 }, () => piece),
      "\n\nevent: change\n\n",
    );
    expect(names).toEqual(["change", "change"]);
    expect(namesIn(`data: ${"x".repeat(100_000)}\n\n`), "a line that is not kept is no field").toEqual([]);
    expect(namesIn("x".repeat(100_000), "\n\nevent: change\n\n")).toEqual(["change"]);
  });

  it("takes any bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => void namesIn(...chunks.map((chunk) => Buffer.from(chunk)))),
    );
  });
});
