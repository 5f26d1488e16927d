// A function of the gateway's own tests: what it does is said by the event it gets.
const instance = Math.random();
const keyAtStart = process.env["AWS_ACCESS_KEY_ID"];
let served = 0;

type Request = { body?: string; rawPath?: string; wait?: number };

export async function handler(event: Request, context: { getRemainingTimeInMillis(): number; functionName: string }) {
  served += 1;
  const ask = event.body?.startsWith("{") ? (JSON.parse(event.body) as Record<string, unknown>) : {};
  if (ask["throw"] === true) throw new TypeError("asked to throw");
  if (ask["answer"] !== undefined) return ask["answer"];
  if (ask["hang"] === true) await new Promise(() => {});
  if (ask["gate"] === true) await (globalThis as { gate?: Promise<void> }).gate;
  console.log(JSON.stringify({ message: "served", served }));
  return {
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      event,
      served,
      instance,
      keyAtStart,
      key: process.env["AWS_ACCESS_KEY_ID"],
      greeting: process.env["GREETING"],
      foreign: process.env["HOME"] ?? null,
      remaining: context.getRemainingTimeInMillis(),
      functionName: context.functionName,
    }),
  };
}
