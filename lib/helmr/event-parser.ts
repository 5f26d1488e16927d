import { StringDecoder } from "node:string_decoder";

/** Longest line that is looked at, in characters. The protocol's own lines have some ten. */
const longestLine = 8_192;

/**
 * Reads a text/event-stream in whatever pieces it arrives and calls `onEvent` with each event's name. Comments, unknown
 * fields and data are passed over: the protocol's events carry nothing (the contract). Unlike a browser, an event without
 * data counts, because the contract promises no data line. A longer line than any of ours is dropped, not kept.
 */
export function eventParser(onEvent: (name: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let line = "";
  let isDropped = false;
  let afterReturn = false;
  let name = "";
  let hasFields = false;

  function endLine(): void {
    const text = line;
    const dropped = isDropped;
    line = "";
    isDropped = false;
    if (dropped) return;
    if (text === "") {
      if (hasFields) onEvent(name === "" ? "message" : name);
      name = "";
      hasFields = false;
      return;
    }
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    if (field === "event") name = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event" || field === "data") hasFields = true;
  }

  return (chunk) => {
    for (const part of decoder.write(chunk).split(/(\r\n|\r|\n)/)) {
      if (part === "\r" || part === "\n" || part === "\r\n") {
        // A line's end may be split between two chunks: the \n after a \r ends nothing of its own.
        if (!(part === "\n" && afterReturn)) endLine();
        afterReturn = part === "\r";
      } else if (part !== "") {
        afterReturn = false;
        if (line.length + part.length > longestLine) isDropped = true;
        line = isDropped ? "x" : line + part;
      }
    }
  };
}
