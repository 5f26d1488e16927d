import { buildFunctions } from "../build/built-functions.ts";
import { importTimes } from "./import-time.ts";
import { kiciCalls } from "./kici-calls.ts";

/** How much longer than the Zoomies webhook's a KiCI function's import may take; a bench reports, it does not fail. */
const importLimit = 1.3;
const names = ["kici-scale-up", "kici-scale-down", "kici-reaper"];

export async function benchKici(): Promise<void> {
  console.log("\nKiCI: import against the Zoomies webhook's, median of fresh processes in turn");
  const built = await buildFunctions();
  try {
    for (const { name, bytes, importMs, ratio } of await importTimes(built, "zoomies-webhook", names)) {
      const size = `${bytes.toLocaleString("en")} bytes`;
      console.log(`${name}: ${importMs.toFixed(1)} ms, ${ratio.toFixed(2)}x of at most ${importLimit}x, ${size}`);
    }
  } finally {
    await built.remove();
  }
  console.log("\nKiCI: AWS calls per event");
  for (const { what, describes, mutations, ledger } of await kiciCalls()) {
    console.log(`${what}: ${describes} Describe, ${mutations} launching or ending, ${ledger} DynamoDB`);
  }
}
