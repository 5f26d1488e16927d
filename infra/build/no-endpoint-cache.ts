import type { Plugin } from "esbuild";

const UNUSED = `
export class EndpointCache {
  get() {
    throw new Error("endpoint discovery is not part of this bundle (infra/build/no-endpoint-cache.ts)");
  }
}
`;

/**
 * Leaves out the cache of DynamoDB's endpoint discovery, 8 KB with the collections beneath it. Every DynamoDB client makes one, and only
 * discovery, which is off unless somebody switches it on, would ever ask it.
 */
export const noEndpointCache: Plugin = {
  name: "no-endpoint-cache",
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/endpoint-cache$/ }, () => ({
      path: "no-endpoint-cache",
      namespace: "drover",
    }));
    build.onLoad({ filter: /^no-endpoint-cache$/, namespace: "drover" }, () => ({ contents: UNUSED }));
  },
};
