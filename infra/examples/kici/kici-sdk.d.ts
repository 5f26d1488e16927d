// What the two workflows use of @kici-dev/sdk, written from its documentation, so that they are type-checked here without the package. In your
// repository the package itself takes this file's place: do not copy it.
declare module "@kici-dev/sdk" {
  export const SCALER_EVENT_NAMES: { readonly scaleUp: string; readonly scaleDown: string };

  interface Trigger {
    readonly name: string;
  }
  interface Step {
    readonly name: string;
  }
  interface Job {
    readonly name: string;
  }
  interface StepContext {
    /** The event's payload as it was emitted. */
    readonly rawPayload: unknown;
    /** Variables of the contexts that the job binds. */
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Rejects when no bound context has the secret. */
    readonly secrets: { get(name: string): Promise<string> };
    readonly log: { info(message: string): void };
  }

  export function kiciEvent(options: { name: string; match?: Readonly<Record<string, string>> }): Trigger;
  export function step(
    name: string,
    options: {
      /** Milliseconds. */
      timeout?: number;
      run(context: StepContext): Promise<void>;
    },
  ): Step;
  export function job(
    name: string,
    options: { runsOn: readonly string[]; context?: string; timeout?: number; steps: readonly Step[] },
  ): Job;
  export function workflow(name: string, options: { on: readonly Trigger[]; jobs: readonly Job[] }): unknown;
}
