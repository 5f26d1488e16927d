import type { Plugin } from "esbuild";

const UNUSED = `
class Unused {
  constructor() {
    throw new Error("event streams are not part of this bundle (infra/build/no-event-streams.ts)");
  }
}
export { Unused as EventStreamSerde };
export const eventStreamSerdeProvider = () => new Unused();
`;

/**
 * Leaves out the SDK's event-stream codec, 15 KB that the protocols reach through a lazy import. No call that Drover makes answers with an
 * event stream; one that did would fail with the sentence above in its first test.
 */
export const noEventStreams: Plugin = {
  name: "no-event-streams",
  setup(build) {
    build.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, () => ({
      path: "no-event-streams",
      namespace: "drover",
    }));
    build.onLoad({ filter: /^no-event-streams$/, namespace: "drover" }, () => ({ contents: UNUSED }));
  },
};
