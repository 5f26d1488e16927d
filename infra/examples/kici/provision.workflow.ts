// Copy into .kici/workflows/ of a repository among the scaler's provisioningTargets, on its default branch.
import { job, kiciEvent, SCALER_EVENT_NAMES, step, workflow } from "@kici-dev/sdk";
import { forwardToDrover } from "./forward-to-drover.ts";

/** The scaler's name at the orchestrator, and the value of drover:kici-scaler on its launch template. */
const scaler = "aws-linux";

export default workflow("drover-provision", {
  on: [kiciEvent({ name: SCALER_EVENT_NAMES.scaleUp, match: { "$.scalerName": scaler } })],
  jobs: [
    job("provision", {
      // Agents that are always there, with a builder among them and outside this scaler: else nothing could start the first one.
      runsOn: ["default"],
      // Holds DROVER_SCALE_UP_URL and the secret DROVER_KICI_SECRET. It must need no approval.
      context: "drover",
      steps: [
        step("forward", {
          timeout: 160_000,
          async run({ rawPayload, env, secrets, log }) {
            const url = env["DROVER_SCALE_UP_URL"] ?? "";
            const secret = await secrets.get("DROVER_KICI_SECRET");
            // The whole payload as it came. It holds the claim code, so it is never logged.
            const { status, agentId, instanceId } = await forwardToDrover({ url, secret }, rawPayload);
            log.info(`${agentId}: ${status} ${instanceId ?? ""}`);
          },
        }),
      ],
    }),
  ],
});
