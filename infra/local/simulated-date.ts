/**
 * Makes `Date` tell a clock's time everywhere in this process, also inside functions and the SDK's signatures. Timers
 * stay real: a request's timeout is a matter of the machine and not of the world's time. The answer undoes it.
 */
export function simulateDate(clock: { now(): number }): () => void {
  const before = globalThis.Date;
  const simulated = new Proxy(before, {
    construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [clock.now()] : args, self),
    apply: () => new before(clock.now()).toString(),
    get: (target, name) => (name === "now" ? () => clock.now() : Reflect.get(target, name)),
  });
  globalThis.Date = simulated;
  return () => {
    if (globalThis.Date === simulated) globalThis.Date = before;
  };
}
