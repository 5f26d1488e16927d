declare module "dynalite" {
  import type { Server } from "node:http";

  /** DynamoDB's wire protocol on an in-memory store; the server is not listening yet. */
  function dynalite(options?: { createTableMs?: number }): Server;
  export = dynalite;
}
