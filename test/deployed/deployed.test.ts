/**
 * template.yaml as it is, deployed with `sam build`, `sam deploy` and `sam delete` into MiniStack, which stands for AWS on a loopback port.
 *
 * For real: the bundles of `sam build`, the SAM transform, CloudFormation's create, update and delete through change sets, the functions under Node 24 in
 * processes of their own, DynamoDB with its deletion protection, Secrets Manager, the HTTP API's URL and payload format 2.0, EventBridge Scheduler's
 * clock, EventBridge's rules, queues that feed functions, failed asynchronous invocations and their queue, CloudWatch Logs, and the functions' roles: MiniStack evaluates the policies of the template for
 * every call that a function makes to DynamoDB and Secrets Manager (AUTH=true).
 *
 * Ours: EC2 and Auto Scaling are the simulator of the local world, which knows no policies. adapted-template.ts points the functions at it, and says what
 * else is changed in the template; sam.ts renames the bundles; ministack.ts says what the functions find in their environment that Lambda would not
 * give them. Zoomies' API and Helmr are the stand-in peers (peers.ts).
 *
 * MiniStack leaves out, and this test adds or leaves to others:
 * - the routes in an HTTP API's OpenAPI body: routes.ts makes them after the deployment, from the body that the transform wrote;
 * - events of EC2 on the bus, which only EC2 itself may put there: twins of the stack's rules take ours (notices.ts);
 * - the scheduler's universal targets: the test sends Helmr's ticks, as the schedule has them (ticks.ts);
 * - policies for EC2 and Auto Scaling, throttling, access logs, who may invoke a function or send to a queue, and the roles of the scheduler and of the
 *   logs: test/build reads these in the template;
 * - TTL: readers filter expired items themselves (test/ledger);
 * - the way from the scheduler through Lambda's asynchronous queue: a schedule starts its function directly here, so that the failed run whose way is
 *   followed to the queue is one that the test invokes asynchronously by itself;
 * - freezing of an execution environment: a worker is a process that goes on running between two events, and those of a deleted function end with
 *   MiniStack.
 */
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { templateFunctions } from "../../infra/build/template-functions.ts";
import { AwsRefused } from "./aws-call.ts";
import { allLogs, invokeLater, logOf, runsIn, scheduledFunctions } from "./functions.ts";
import { messagesIn } from "./queues.ts";
import { isReachable } from "./reachable.ts";
import { remainsOf } from "./remains.ts";
import { importRoutes, routesOf } from "./routes.ts";
import { defaultStack } from "./rows/defaults.ts";
import { tasksAreServed } from "./rows/helmr.ts";
import { scaleUp, sendKici } from "./rows/kici.ts";
import { connect, functionRows, prepare, routeRows } from "./rows/rows.ts";
import { demandFor, desiredCapacity, sendZoomies, zoomiesSecret } from "./rows/zoomies.ts";
import { ofType, physicalId } from "./stack.ts";
import { sendTicks } from "./ticks.ts";
import { until } from "./until.ts";
import { endWorker, programOf } from "./workers.ts";
import { type DeployedWorld, stackName, startDeployedWorld } from "./world.ts";

let world: DeployedWorld;
let parameters: Readonly<Record<string, string>>;

beforeAll(async () => {
  world = await startDeployedWorld();
});

afterEach(({ task }) => {
  if (task.result?.state === "fail") console.log(world?.ministack.log().slice(-6_000));
});

afterAll(() => world?.close());

/** Longer than a minute and the ten seconds between two looks of MiniStack's scheduler, on a busy machine. */
const oneRunMs = 110_000;

test("sam build and sam deploy bring the whole template up", async () => {
  parameters = await prepare(world);
  await world.sam.build();
  await world.sam.deploy(parameters);
  expect(await world.aws.rest("account", "GET", "/_ministack/health"), "policies are evaluated").toMatchObject({
    auth: "enabled",
  });
  const stack = await world.describe();
  await importRoutes(world.aws, stack);
  await connect(world);
  expect(ofType(stack, "AWS::Lambda::Function").sort()).toEqual(
    templateFunctions()
      .map(({ id }) => id)
      .sort(),
  );
  expect(world.ministack.log()).toContain(`Running on http://127.0.0.1:${world.ministack.port} `);
});

test("every function is started by a route, by a schedule or by a row of this test, and every route has a row", () => {
  const routes = routesOf(world.stack);
  expect(Object.keys(routeRows).sort()).toEqual(routes.map(({ key }) => key).sort());
  const started = [...routes.map(({ functionId }) => functionId), ...scheduledFunctions(world.stack)];
  const functions = ofType(world.stack, "AWS::Lambda::Function");
  expect(Object.keys(functionRows).sort()).toEqual(functions.filter((id) => !started.includes(id)).sort());
});

test("the generated secret is long enough to sign with, and can be read where the output says", async () => {
  const secret = await zoomiesSecret(world);
  expect(secret).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(world.stack.outputs["ZoomiesWebhookSecretArn"]).toMatch(/^arn:aws:secretsmanager:/);
});

test.each(Object.entries({ ...routeRows, ...functionRows }))("one event through %s", async (_, row) => {
  await row(world);
});

test("functions run under the project's own Node 24, as the runtime in the template asks", async () => {
  const workers = await world.ministack.workers();
  expect(workers.length).toBeGreaterThan(0);
  expect(process.version).toMatch(/^v24\./);
  if (process.platform !== "linux") return;
  for (const worker of workers) expect(await programOf(worker)).toBe(process.execPath);
});

test("a worker that is killed between two events is replaced, and a rotated secret is in force", async () => {
  const before = await zoomiesSecret(world);
  const workers = await world.ministack.workers();
  expect(workers.length).toBeGreaterThan(0);
  for (const worker of workers) await endWorker(worker);
  const SecretId = physicalId(world.stack, "ZoomiesWebhookSecret");
  await world.secrets.send(new PutSecretValueCommand({ SecretId, SecretString: `rotated-${before}` }));

  expect(await sendZoomies(world, demandFor(4))).toMatchObject({ status: 204 });
  expect(await sendZoomies(world, demandFor(5), before), "the sender has not heard of it yet").toMatchObject({
    status: 204,
  });
  expect(desiredCapacity(world)).toBe(5);
});

test("a run that fails is reported to the queue for failed runs, once, and is not tried again", async () => {
  const heal = world.simulator.faults.add({
    on: "auto-scaling:DescribeAutoScalingGroups",
    kind: "error",
    code: "AccessDenied",
  });
  const reconciler = physicalId(world.stack, "ZoomiesReconciler");
  const runs = runsIn(await logOf(world.aws, world.stack, "ZoomiesReconciler"));
  await invokeLater(world.aws, reconciler);
  const failed = await until("the failed run is in the queue", 30_000, async () => {
    const [first] = await messagesIn<{ requestContext: { functionArn: string } }>(world, "FailedRuns");
    return first;
  });
  heal();
  expect(failed.requestContext.functionArn).toMatch(new RegExp(`:function:${reconciler}$`));
  expect(runsIn(await logOf(world.aws, world.stack, "ZoomiesReconciler"))).toBe(runs + 1);
});

test("a worker killed as its raise leaves has answered nobody; the schedule brings the recorded reading to the group", async () => {
  const { cutNext } = world.simulator;
  cutNext("SetDesiredCapacity", async () => {
    for (const worker of await world.ministack.workers()) await endWorker(worker);
  });
  const event = demandFor(8);
  expect((await sendZoomies(world, event)).status).toBeGreaterThanOrEqual(500);
  expect(desiredCapacity(world)).toBe(5);
  // The sender's own second try finds the event in the ledger.
  const again = await sendZoomies(world, event);
  expect(again).toMatchObject({ status: 204, headers: { "x-drover-outcome": "duplicate" } });
  expect(desiredCapacity(world)).toBe(5);

  await until("a scheduled run raises the group to 8", 2 * oneRunMs, async () => desiredCapacity(world) === 8);
});

test("Helmr's tasks that had no host have one: a scheduled run asked for a plan and raised the pool", async () => {
  await tasksAreServed(world, 2 * oneRunMs);
});

test("the scheduler has started every scheduled function, and the last run of each ended well", async () => {
  const scheduled = scheduledFunctions(world.stack);
  expect(scheduled.length).toBeGreaterThan(0);
  for (const id of scheduled) {
    // Helmr's run lasts until the next one takes over.
    await until(`a run of ${id} has ended well`, 2 * oneRunMs, async () => {
      const log = await logOf(world.aws, world.stack, id);
      const lastRun = log.slice(log.findLastIndex((line) => line.startsWith("START "))).join("\n");
      return lastRun.includes("RunCompleted") && !lastRun.includes('"level":"error"');
    });
  }
});

test("the ledger cannot be deleted while its protection is on, which is the default", async () => {
  const deletion = world.dynamodb.send(new DeleteTableCommand({ TableName: world.stack.outputs["TableName"] }));
  await expect(deletion).rejects.toThrow(/protect/i);
});

test("a second deployment, to observe mode and Helmr's ticks, leaves desired capacities, secret, URLs and ledger as they were (cases.md 56)", async () => {
  const { outputs } = world.stack;
  const secret = await zoomiesSecret(world);
  const changes = world.simulator.faults.mutations().length;
  const observing = { Mode: "observe", HelmrCadence: "ticks", ReadingFreshMinutes: "20" };
  await world.sam.deploy({ ...parameters, ...observing, TableDeletionProtection: "false" });
  const stack = await world.describe();
  expect(stack.outputs).toEqual({ ...outputs, Mode: "observe" });
  expect(await zoomiesSecret(world)).toBe(secret);
  expect(desiredCapacity(world)).toBe(8);
  expect(world.simulator.faults.mutations()).toHaveLength(changes);
});

test("in observe mode a demand is recorded and moves nothing, KiCI is sent elsewhere, and a tick is one look at Helmr", async () => {
  const changes = world.simulator.faults.mutations().length;
  const runs = (await logOf(world.aws, world.stack, "HelmrReconciler")).length;
  await sendTicks(world);
  expect(await sendZoomies(world, demandFor(9))).toMatchObject({ status: 204 });
  expect(await sendKici(world, "KiciScaleUpUrl", scaleUp(world))).toMatchObject({
    status: 503,
    answer: { code: "observe_mode" },
  });
  await until("a tick's run has looked at Helmr's group once", oneRunMs, async () => {
    const log = (await logOf(world.aws, world.stack, "HelmrReconciler")).slice(runs);
    return log.some((line) => line.includes('"served":1') && line.includes('"cycles":1'));
  });
  expect(desiredCapacity(world)).toBe(8);
  expect(world.simulator.faults.mutations()).toHaveLength(changes);
});

test("a third deployment, back to act, changes nothing by itself; what was recorded meanwhile is then acted upon", async () => {
  const changes = world.simulator.faults.mutations().length;
  // What is not named keeps the value that it has.
  await world.sam.deploy({ ...parameters, Mode: "act" });
  expect((await world.describe()).outputs["Mode"]).toBe("act");
  // A scheduled run may already have been there, for the demand that came in observe mode.
  for (const { operation, input } of world.simulator.faults.mutations().slice(changes)) {
    expect({ operation, input }).toMatchObject({ operation: "SetDesiredCapacity", input: { DesiredCapacity: 9 } });
  }
  expect(await sendZoomies(world, demandFor(10))).toMatchObject({
    status: 204,
    headers: { "x-drover-outcome": "applied" },
  });
  expect(desiredCapacity(world)).toBe(10);
});

test("a stack with the defaults has what Zoomies' demand needs and nothing of the rest, and can be deleted beside this one", async () => {
  await defaultStack(world);
});

test.each(["default", "production"])("CloudFormation takes what samconfig.toml's %s says", async (environment) => {
  await world.samOf(`${stackName}-${environment}`).preview(environment);
});

test("no log holds a secret or a signature", async () => {
  const logs = await allLogs(world.aws, world.stack);
  expect(logs.length).toBeGreaterThan(10);
  const printed = [...logs, world.ministack.log(), JSON.stringify(world.simulator.faults.calls)].join("\n");
  expect(world.confidential.size).toBeGreaterThan(5);
  for (const confidential of world.confidential) {
    expect(confidential).not.toBe("");
    expect(printed.includes(confidential)).toBe(false);
  }
});

test("sam delete leaves nothing of the stack, and no group is touched", async () => {
  const changes = world.simulator.faults.mutations().length;
  const { stack } = world;
  await world.sam.delete();
  await expect(world.describe()).rejects.toThrow(AwsRefused);
  for (const [kind, left] of Object.entries(await remainsOf(world.aws))) expect(left, kind).toEqual([]);
  expect(stack.outputs["TableName"]).toContain(stackName);
  expect(world.simulator.faults.mutations()).toHaveLength(changes);
});

test("nothing is left running", async () => {
  const { ministack, simulator, peers } = world;
  await world.close();
  expect(await ministack.workers()).toEqual([]);
  for (const { url } of [ministack, simulator, peers.zoomies, peers.helmr.server]) {
    expect(await isReachable(Number(new URL(url).port)), url).toBe(false);
  }
});
