import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { bundleFunction } from "../../infra/build/bundle-function.ts";
import { root } from "../../infra/build/entry-points.ts";
import type { FunctionReport } from "./helmr-function.ts";
import { type FleetSize, startHelmrPeers, workerGroupName } from "./helmr-peers.ts";

const run = promisify(execFile);

interface Scale extends FleetSize {
  readonly what: string;
  readonly budgetMs: number;
}

const scales: readonly Scale[] = [
  { what: "1 group, 1 pool, 4 hosts", workerGroups: 1, pools: 1, hosts: 4, budgetMs: 4_000 },
  { what: "1 group, 64 pools, 1,000 hosts", workerGroups: 1, pools: 64, hosts: 1_000, budgetMs: 15_000 },
  { what: "20 groups, 20 pools, 100 hosts", workerGroups: 20, pools: 1, hosts: 100, budgetMs: 10_000 },
];

/**
 * One invocation on its real clients against fleets of several sizes, peers on loopback in another process: what a cycle of one
 * Worker group costs.
 */
export async function scaleRows(): Promise<string[]> {
  const folder = await mkdtemp(`${tmpdir()}/drover-helmr-`);
  try {
    const { file } = await bundleFunction(`${root}test/bench/helmr-function.ts`, folder, folder);
    const rows: string[] = [];
    for (const scale of scales) rows.push(await scaleRow(scale, file));
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function scaleRow({ what, budgetMs, ...size }: Scale, file: string): Promise<string> {
  const peers = await startHelmrPeers(size);
  try {
    const env = { PATH: process.env["PATH"] ?? "", ...peers.environment };
    peers.aws.reset();
    const { stdout } = await run(process.execPath, [file, String(budgetMs), workerGroupName(0)], { env });
    const report = JSON.parse(stdout) as FunctionReport;
    const cycles = [...report.cycles].sort((a, b) => a - b);
    const each = (count: number) => (count / cycles.length).toFixed(1);
    const of = (service: string) => peers.aws.count((call) => call.service === service);
    const awsCalls = of("auto-scaling") + of("ec2");
    const median = cycles[Math.floor(cycles.length / 2)] ?? Number.NaN;
    return (
      `${what}: cycle median ${median.toFixed(0)} ms, longest ${cycles.at(-1)?.toFixed(0)} ms of ${cycles.length}, processor ${report.cpuMs.toFixed(0)} ms; ` +
      "a cycle makes " +
      `${each(awsCalls)} AWS calls, ${each(peers.helmr.calls.length)} Control Plane calls, ${each(report.ledgerCalls)} ledger calls; ` +
      `peak memory ${report.peakMb.toFixed(0)} MB; decision ${report.decisionMs.toFixed(2)} ms for ${report.hosts} hosts` +
      `${report.failed > 0 ? `; ${report.failed} groups FAILED` : ""}`
    );
  } finally {
    await peers.close();
  }
}
