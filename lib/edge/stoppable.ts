import { OutOfTime } from "./within-time.ts";

/** Whether an answer has left already, so that nothing more may be begun for it. */
export interface Deadline {
  over: boolean;
}

type Methods = Readonly<Record<string, unknown>>;

/**
 * The same port, whose asynchronous methods begin nothing once the deadline is over. Lambda freezes a function that has
 * answered and thaws it with some later invocation: what was left undone then belongs to the scheduled run, not to it.
 */
export function stoppable<P extends object>(port: P, deadline: Deadline): P {
  const methods = Object.entries(port as Methods).map(([name, method]) => {
    if (typeof method !== "function") return [name, method];
    const guarded = (...args: unknown[]) =>
      deadline.over ? Promise.reject(new OutOfTime(`${name} was not begun: the answer has left.`)) : method(...args);
    return [name, guarded];
  });
  return Object.fromEntries(methods) as P;
}
