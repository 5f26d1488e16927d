import type { Plugin } from "esbuild";

const OFF = `
const off = async () => undefined;
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};
export const resolveEndpointDiscoveryConfig = (input) =>
  Object.assign(input, { endpointDiscoveryEnabled: off, isClientEndpointDiscoveryEnabled: false });
`;

/**
 * Leaves out DynamoDB's endpoint discovery with its cache, 9 KB that are only there to be configured: no command of the
 * client looks at it any more. A client that did would miss an export, and the build would fail.
 */
export const noEndpointDiscovery: Plugin = {
  name: "no-endpoint-discovery",
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/middleware-endpoint-discovery$/ }, () => ({
      path: "no-endpoint-discovery",
      namespace: "drover",
      sideEffects: false,
    }));
    build.onLoad({ filter: /^no-endpoint-discovery$/, namespace: "drover" }, () => ({ contents: OFF }));
  },
};
