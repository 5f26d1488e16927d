import type { Plugin } from "esbuild";

const CHAIN = /^@aws-sdk\/credential-provider-(cognito-identity|http|ini|login|node|process|sso|web-identity)$/;

/**
 * Leaves the SDK's default credential chain out and keeps the one source that exists where Drover runs: the environment. Lambda always
 * injects it, and the local world sets it too. The chain costs 120 KB and about 17 ms of cold start, and its IMDS part loads undici.
 */
export const environmentCredentials: Plugin = {
  name: "environment-credentials",
  setup(build) {
    build.onResolve({ filter: CHAIN }, ({ resolveDir }) => ({
      path: "environment-credentials",
      namespace: "drover",
      pluginData: resolveDir,
      sideEffects: false,
    }));
    build.onLoad({ filter: /^environment-credentials$/, namespace: "drover" }, ({ pluginData }) => ({
      contents: 'export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";',
      // From the client's own folder, where this package is found whether or not npm hoisted it.
      resolveDir: pluginData,
    }));
  },
};
