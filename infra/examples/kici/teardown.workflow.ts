// Copy into .kici/workflows/ of a repository among the scaler's provisioningTargets, on its default branch.
import { job, kiciEvent, SCALER_EVENT_NAMES, step, workflow } from "@kici-dev/sdk";
import { forwardToDrover } from "./forward-to-drover.ts";

/** The scaler's name at the orchestrator. */
const scaler = "aws-linux";

export default workflow("drover-teardown", {
  on: [kiciEvent({ name: SCALER_EVENT_NAMES.scaleDown, match: { "$.scalerName": scaler } })],
  jobs: [
    job("teardown", {
      runsOn: ["default"],
      // Holds DROVER_SCALE_DOWN_URL and the secret DROVER_KICI_SECRET. It must need no approval.
      context: "drover",
      steps: [
        step("forward", {
          timeout: 160_000,
          async run({ rawPayload, env, secrets, log }) {
            const url = env["DROVER_SCALE_DOWN_URL"] ?? "";
            const secret = await secrets.get("DROVER_KICI_SECRET");
            // Every reason tears down alike, and repeating it is harmless.
            const { status, agentId, instanceId } = await forwardToDrover({ url, secret }, rawPayload);
            log.info(`${agentId}: ${status} ${instanceId ?? ""}`);
          },
        }),
      ],
    }),
  ],
});
