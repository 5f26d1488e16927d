import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  agentScript,
  agentScriptText,
  bootScript,
  bootScriptText,
  environmentFile,
} from "../../lib/kici/agent-scripts.ts";
import { type AgentStart, mostUserDataBytes, userData } from "../../lib/kici/user-data.ts";

const start: AgentStart = {
  agentId: "scaler-event-1a2b3c4d",
  labels: ["default", "kici:agent:event"],
  orchestratorUrl: "wss://ci.example.com/ws",
  claimCode: "c0de".repeat(16),
  image: "quay.io/kici-dev/kici-agent:0.16.0",
  lifetimeMinutes: 120,
};

interface Written {
  readonly path: string;
  readonly owner: string;
  readonly permissions: string;
  readonly encoding: string;
  readonly content: string;
}

/** The user data as cloud-init reads it, YAML 1.1 as PyYAML does. */
function read(text: string): { files: Map<string, Written & { text: string }>; runcmd: unknown } {
  expect(text.startsWith("#cloud-config\n")).toBe(true);
  const config = parse(text, { version: "1.1", strict: true }) as { write_files: Written[]; runcmd: unknown };
  expect(Object.keys(config)).toEqual(["write_files", "runcmd"]);
  const files = config.write_files.map((file) => {
    expect(file).toMatchObject({ owner: "root:root", encoding: "b64" });
    return [file.path, { ...file, text: Buffer.from(file.content, "base64").toString() }] as const;
  });
  return { files: new Map(files), runcmd: config.runcmd };
}

test("writes exactly the agent's five variables, for root alone, and runs the boot script", () => {
  const { files, runcmd } = read(userData(start));
  expect([...files.keys()]).toEqual([environmentFile, agentScript, bootScript]);
  expect(environmentFile).toBe("/etc/kici-agent.env");
  expect(files.get(environmentFile)?.permissions).toBe("0600");
  expect(files.get(environmentFile)?.text).toBe(
    [
      "KICI_ORCHESTRATOR_URL=wss://ci.example.com/ws",
      `KICI_SCALER_CLAIM_CODE=${start.claimCode}`,
      "KICI_AGENT_ID=scaler-event-1a2b3c4d",
      "KICI_LABELS=default,kici:agent:event",
      "KICI_SCALER_MANAGED=1",
      "",
    ].join("\n"),
  );
  expect(runcmd).toEqual([["/bin/sh", bootScript]]);
});

test("no value becomes anything but its own variable's value, whatever characters it holds", () => {
  // Everything that the event's reader lets through: no control character, no line separator, no comma in a label.
  const anyValue = fc
    .string({ unit: "binary", minLength: 1, maxLength: 80 })
    .filter((value) => value.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(value));
  const anyLabel = anyValue.filter((value) => !value.includes(","));
  fc.assert(
    fc.property(
      anyValue,
      anyValue,
      anyValue,
      fc.array(anyLabel, { minLength: 1, maxLength: 4 }),
      (agentId, claimCode, url, labels) => {
        const { files } = read(userData({ ...start, agentId, claimCode, orchestratorUrl: url, labels }));
        const lines = (files.get(environmentFile)?.text ?? "").split("\n");
        expect(lines).toEqual([
          `KICI_ORCHESTRATOR_URL=${url}`,
          `KICI_SCALER_CLAIM_CODE=${claimCode}`,
          `KICI_AGENT_ID=${agentId}`,
          `KICI_LABELS=${labels.join(",")}`,
          "KICI_SCALER_MANAGED=1",
          "",
        ]);
        expect(files.get(agentScript)?.text).toBe(agentScriptText(start.image));
        expect(files.get(bootScript)?.text).toBe(bootScriptText(start.lifetimeMinutes));
      },
    ),
  );
});

test("an ordinary agent's user data is far below EC2's limit", () => {
  expect(Buffer.byteLength(userData(start))).toBeLessThan(mostUserDataBytes / 4);
});

describe("the scripts, run with commands that only write down what they were asked", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(`${tmpdir()}/drover-agent-`);
    for (const name of ["systemd-run", "systemctl", "docker", "poweroff", "shutdown", "sleep"]) stub(name, "exit 0");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function stub(name: string, behaviour: string): void {
    writeFileSync(`${folder}/${name}`, `#!/bin/sh\necho "${name} $*" >>"${folder}/asked"\n${behaviour}\n`);
    chmodSync(`${folder}/${name}`, 0o755);
  }
  function run(script: string): { status: number | null; asked: string[] } {
    const { status } = spawnSync("/bin/sh", ["-c", script], {
      env: { PATH: `${folder}:/usr/bin:/bin` },
      timeout: 20_000,
    });
    return {
      status,
      asked: readFileSync(`${folder}/asked`, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    };
  }

  test("boot arms the end of the instance's life before it starts the agent", () => {
    expect(run(bootScriptText(90)).asked).toEqual([
      "systemd-run --unit=drover-lifetime --on-active=90m --timer-property=AccuracySec=1s /sbin/poweroff",
      `systemd-run --unit=drover-agent --property=ExecStopPost=/sbin/poweroff /bin/sh ${agentScript}`,
    ]);
  });

  test("boot powers off when the agent cannot be started", () => {
    stub("systemd-run", 'case "$*" in *drover-agent*) exit 1 ;; esac');
    expect(run(bootScriptText(90)).asked.at(-1)).toBe("poweroff");
  });

  test("boot arms the end in another way where timers are missing, and powers off when it cannot", () => {
    stub("systemd-run", 'case "$*" in *drover-lifetime*) exit 1 ;; esac');
    expect(run(bootScriptText(90)).asked).toContain("shutdown -P +90");
    stub("shutdown", "exit 1");
    expect(run(bootScriptText(90)).asked).toContain("poweroff");
  });

  test("the agent runs once, in the foreground, without restart, with its variables and its pinned image", () => {
    const { status, asked } = run(agentScriptText(start.image));
    expect(status).toBe(0);
    expect(asked).toEqual([
      "systemctl start docker",
      "docker info",
      `docker run --restart=no --name kici-agent --network host --env-file ${environmentFile} ${start.image}`,
    ]);
  });

  test("the agent's own exit is the unit's, whose end powers the instance off", () => {
    stub("docker", 'case "$1" in run) exit 7 ;; esac');
    expect(run(agentScriptText(start.image)).status).toBe(7);
  });

  test("an image whose Docker comes up late is waited for, and one without Docker ends", () => {
    stub("docker", `case "$1" in info) [ "$(grep -c "docker info" "${folder}/asked")" -ge 4 ] || exit 1 ;; esac`);
    expect(run(agentScriptText(start.image)).asked.filter((line) => line === "docker info")).toHaveLength(4);
    stub("docker", "exit 1");
    const { status, asked } = run(agentScriptText(start.image));
    expect(status).toBe(1);
    expect(asked.some((line) => line.startsWith("docker run"))).toBe(true);
    expect(asked.at(-1)).toBe("docker info");
  });
});
