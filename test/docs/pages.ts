import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Command {
  /** What is typed, without the prompt. */
  readonly line: string;
  /** Lines that it promises to print, in this order; `...` stands for anything. */
  readonly promises: readonly string[];
  readonly exit: number;
}

/** One fenced block: its language, the words after it, and the lines in it without their indentation. */
export interface Fence {
  readonly language: string;
  readonly marks: readonly string[];
  readonly lines: readonly string[];
}

export interface Page {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
  readonly fences: readonly Fence[];
}

/** README and everything in docs/. */
export function pages(): Page[] {
  const paths = ["README.md", ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)];
  return paths.map((path) => {
    const text = readFileSync(root + path, "utf8");
    return { path, text, fences: fencesOf(text) };
  });
}

function fencesOf(text: string): Fence[] {
  return [...text.matchAll(/^( *)```(\S*) ?(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", language = "", marks = "", body = ""]) => ({
      language,
      marks: marks.split(" ").filter((mark) => mark !== ""),
      lines: body.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.slice(indent.length)])),
    }),
  );
}

/** The commands of a fence: lines after a `$ ` prompt, each with what follows it. `exit=N` promises another exit code than 0. */
export function commandsOf({ marks, lines }: Fence): Command[] {
  const exit = Number(marks.find((mark) => mark.startsWith("exit="))?.slice(5) ?? 0);
  const commands: { line: string; promises: string[]; exit: number }[] = [];
  for (const line of lines) {
    if (line.startsWith("$ ")) commands.push({ line: line.slice(2), promises: [], exit });
    else commands.at(-1)?.promises.push(line);
  }
  return commands;
}

/** Whether what was printed keeps the promises, in order. */
export function keeps(printed: string, promises: readonly string[]): boolean {
  const pattern = promises.map((promise) => `^${promise.split("...").map(escaped).join(".*")}$`).join("[\\s\\S]*?");
  return new RegExp(pattern, "m").test(printed);
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
