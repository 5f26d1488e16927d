/** What a command has to say. `value` is the same as `lines` for programs. */
export type Outcome = { readonly ok: boolean; readonly lines: readonly string[]; readonly value: unknown };

export const done = (lines: readonly string[], value: unknown): Outcome => ({ ok: true, lines, value });
export const failed = (lines: readonly string[], value: unknown): Outcome => ({ ok: false, lines, value });

/** Rows under their headings, in columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
