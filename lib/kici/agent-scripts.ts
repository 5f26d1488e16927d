/** Where the agent's variables stand on the instance; KiCI's own place for them. */
export const environmentFile = "/etc/kici-agent.env";
export const bootScript = "/usr/local/sbin/drover-boot";
export const agentScript = "/usr/local/sbin/drover-agent";

/**
 * Runs once at boot. The end of the instance's life is armed before anything else can fail, and the agent is a unit of
 * its own that powers the instance off when it ends, however it ends: done, failed, killed, or never started.
 */
export const bootScriptText = (lifetimeMinutes: number): string => `#!/bin/sh
set -u
systemd-run --unit=drover-lifetime --on-active=${lifetimeMinutes}m --timer-property=AccuracySec=1s /sbin/poweroff ||
  shutdown -P +${lifetimeMinutes} ||
  poweroff
systemd-run --unit=drover-agent --property=ExecStopPost=/sbin/poweroff /bin/sh ${agentScript} ||
  poweroff
`;

/**
 * Runs the agent in the foreground, once: its claim code is spent with the first start, so a second one could only fail
 * (kici-notes 5). `image` holds letters that mean nothing to a shell (lib/capacity/scaler-fleet.ts).
 */
export const agentScriptText = (image: string): string => `#!/bin/sh
set -u
systemctl start docker
tries=0
until docker info >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 30 ]; then
    echo "drover: Docker does not run on this image" >&2
    exit 1
  fi
  sleep 2
done
exec docker run --restart=no --name kici-agent --network host --env-file ${environmentFile} '${image}'
`;
