import type { Metafile } from "esbuild";

export interface Share {
  /** A package's name, or a folder of ours. */
  readonly from: string;
  readonly bytes: number;
}

/** Whose code an input is: the innermost package, or a folder of ours (`lib/zoomies`). */
function originOf(path: string): string {
  const [, ofPackage] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  // What a plugin supplies has a name and no folder.
  return ofPackage ?? path.replace(/\/[^/]*$/, "");
}

/** What is inside a bundle, largest share first, in bytes of the minified file. */
export function contentsOf(metafile: Metafile): Share[] {
  const shares = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput > 0) shares.set(originOf(path), (shares.get(originOf(path)) ?? 0) + bytesInOutput);
    }
  }
  return Array.from(shares, ([from, bytes]) => ({ from, bytes })).sort((a, b) => b.bytes - a.bytes);
}

/**
 * SDK commands inside a bundle, as IAM writes their actions: `dynamodb:PutItem`. A command that a function does not import is shaken off, so
 * these are the calls it can make. DescribeEndpoints comes with every DynamoDB client and is sent only with endpoint discovery switched on.
 */
export function awsCallsOf(metafile: Metafile): string[] {
  const services: Record<string, string> = {
    "auto-scaling": "autoscaling",
    "secrets-manager": "secretsmanager",
  };
  const calls = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [, client, command] =
        /@aws-sdk\/client-([a-z0-9-]+)\/dist-es\/commands\/(\w+)Command\.js$/.exec(path) ?? [];
      if (client === undefined || bytesInOutput === 0 || command === "DescribeEndpoints") continue;
      calls.add(`${services[client] ?? client}:${command}`);
    }
  }
  return [...calls].sort();
}
