import { httpControlPlane } from "../../../lib/helmr/http-control-plane.ts";

// Asks the Control Plane at argv's URL for its deployment and prints the release, or the error's message.
const client = httpControlPlane({
  baseUrl: process.argv[2] ?? "",
  token: async () => "test-only",
  wait: async () => {},
});
try {
  console.log((await client.deployment()).release);
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
}
client.close();
