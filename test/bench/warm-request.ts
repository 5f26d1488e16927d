import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Contestant } from "./cold-start.ts";

/**
 * Runs in a child: `http.request` is replaced before the bundle is loaded, so that what is measured is all of our code and
 * the SDK's, and no socket. Each call gets the answer that a new demand for a known pool would get.
 */
const CHILD = `
const http = require("node:http");
const { EventEmitter } = require("node:events");
const { Readable } = require("node:stream");
const { createHmac, randomBytes } = require("node:crypto");
const { secret, pool, group, count } = JSON.parse(process.argv[2]);

const tag = (key, value) => "<member><Key>" + key + "</Key><Value>" + value + "</Value></member>";
const describe = (desired) => "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups><member>" +
  "<AutoScalingGroupName>" + group + "</AutoScalingGroupName><MinSize>0</MinSize><MaxSize>1000000</MaxSize><DesiredCapacity>" + desired +
  "</DesiredCapacity><NewInstancesProtectedFromScaleIn>true</NewInstancesProtectedFromScaleIn><Tags>" +
  tag("drover:stack", process.env.DROVER_STACK) + tag("drover:zoomies-pool/" + pool, "x") + tag("drover:slots-per-host", "4") +
  "</Tags></member></AutoScalingGroups></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>";
const fleet = { group, paused: false, pools: [pool], slotsPerHost: 4, outsideSlots: 0, backend: "docker", selector: {} };
const known = { pk: { S: "pool#" + pool }, sk: { S: "directory" }, schema: { N: "1" }, version: { N: "1" }, writer: { S: "w" },
  body: { S: JSON.stringify({ fleet }) } };

function answer(target, body) {
  if (target === "secretsmanager.GetSecretValue") return JSON.stringify({ SecretString: secret, CreatedDate: 0 });
  if (target.endsWith("BatchGetItem")) return JSON.stringify({ Responses: { [process.env.DROVER_TABLE]: [known] }, UnprocessedKeys: {} });
  if (target !== "") return "{}";
  return body.includes("DescribeAutoScalingGroups") ? describe(0) : "<SetDesiredCapacityResponse/>";
}

http.request = (options, onResponse) => {
  const request = new EventEmitter();
  const chunks = [];
  const target = String(options.headers["x-amz-target"] ?? options.headers["X-Amz-Target"] ?? "");
  const finish = (chunk) => {
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") chunks.push(Buffer.from(chunk));
    const text = answer(target, Buffer.concat(chunks).toString());
    const type = target === "" ? "text/xml" : "application/x-amz-json-1.0";
    const response = Object.assign(Readable.from([Buffer.from(text)]), { statusCode: 200, headers: { "content-type": type } });
    setImmediate(() => onResponse(response));
  };
  return Object.assign(request, {
    write: (chunk) => (chunks.push(Buffer.from(chunk)), true),
    end: finish, setTimeout: () => request, destroy: () => request, setNoDelay() {}, setSocketKeepAlive() {}, reusedSocket: true,
  });
};
console.log = () => {};

function event(n) {
  const body = JSON.stringify({ schema_version: 1, event_id: randomBytes(10).toString("hex"), type: "capacity_demand",
    timestamp: new Date().toISOString(), pool_id: pool, host_selector: {}, backend: "docker", required_runner_slots: 3,
    current_capacity: 4 * n, queued_job_count: 3, oldest_queue_age_seconds: 1 });
  const signature = "sha256=" + createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { "x-zoomies-signature-256": signature }, body, isBase64Encoded: false };
}
const context = { awsRequestId: "bench", getRemainingTimeInMillis: () => 9000 };
const { handler } = require(process.argv[1]);
(async () => {
  const times = [];
  for (let n = 1; n <= count * 2; n += 1) {
    const request = event(n);
    const before = performance.now();
    const { statusCode, body } = await handler(request, context);
    const took = performance.now() - before;
    if (statusCode !== 204) throw new Error("answered " + statusCode + " " + body);
    // The first half warms the code up.
    if (n > count) times.push(took * 1000);
  }
  times.sort((a, b) => a - b);
  process.stdout.write(JSON.stringify({ median: times[times.length >> 1] }));
})();
`;

/** Median microseconds of a warm request with a stubbed transport: a new demand that raises a known group. */
export async function warmMicroseconds(contestant: Contestant, secret: string, count = 500): Promise<number> {
  const setup = { secret, pool: contestant.name, group: `${contestant.name}-hosts`, count };
  const child = await promisify(execFile)(process.execPath, ["-e", CHILD, contestant.file, JSON.stringify(setup)], {
    env: { ...contestant.environment },
    timeout: 120_000,
  });
  return (JSON.parse(child.stdout) as { median: number }).median;
}
