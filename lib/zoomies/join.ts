import type { APIGatewayProxyEventV2WithIAMAuthorizer, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { countRefusal } from "../capacity/count-refusal.ts";
import { type Refusal, refuse } from "../edge/http-answer.ts";
import { errorFields } from "../edge/logger.ts";
import { OnlyObserving } from "../edge/mode.ts";
import { SecretNotSet, SecretUnreadable } from "../edge/signing-secret.ts";
import { LedgerUnavailable } from "../ledger/table.ts";
import { OddAnswer, ZoomiesDenied, ZoomiesUnavailable } from "./api.ts";
import { instanceOf } from "./join-identity.ts";
import type { JoinParts } from "./join-parts.ts";
import { joinPlace } from "./join-place.ts";
import { type Minted, mintToken } from "./join-token.ts";
import { tellJoin } from "./tell-join.ts";

export type JoinHandler = (
  event: APIGatewayProxyEventV2WithIAMAuthorizer,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** What an agent needs to join. */
export interface JoinAnswer {
  readonly url: string;
  readonly token: string;
  /** The host's name, which is the instance id. */
  readonly name: string;
  readonly capacity: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly backend: string;
}

/** Long enough to start an agent, short enough that a token nobody took is soon dead. */
const tokenLife = "5m";

/** `POST /zoomies/join`: an instance, known by its own role's session, gets the one token with which it may join. */
export function zoomiesJoin(parts: JoinParts | undefined): JoinHandler {
  return async (request, context) => {
    if (parts === undefined) return refuse(notConfigured);
    const logger = parts.logger.with({ correlationId: context.awsRequestId });
    try {
      const answered = await answer({ ...parts, logger }, request);
      if ("refusal" in answered) {
        const { status, code, message } = answered.refusal;
        logger.log("warn", "refused", { status, code, detail: message });
        if (status === 422) parts.metrics.count("ConfigError", 1, { Code: code });
        return refuse(answered.refusal);
      }
      logger.log("info", "token delivered", { instance: answered.name, capacity: answered.capacity });
      return {
        statusCode: 200,
        headers: { "content-type": "application/json", "cache-control": "no-store" },
        body: JSON.stringify(answered),
      };
    } catch (error) {
      const refusal = refusalOf(error);
      logger.log("error", "failed", { code: refusal.code, ...errorFields(error) });
      const isConfig = error instanceof SecretNotSet || error instanceof ZoomiesDenied;
      countRefusal(parts.metrics, refusal.code, {}, isConfig);
      return refuse(refusal);
    }
  };
}

async function answer(
  parts: JoinParts,
  request: APIGatewayProxyEventV2WithIAMAuthorizer,
): Promise<JoinAnswer | { readonly refusal: Refusal }> {
  const asked = instanceOf(request.requestContext, parts.hostRoleArn);
  if (asked.refusal !== undefined) return asked;
  const { instance } = asked;
  const place = await joinPlace(parts, instance);
  if (place.refusal !== undefined) {
    await tellJoin(parts, place.group, instance, [place.refusal.message], place.refusal);
    return place;
  }
  const { group, slotsPerHost: capacity, backend, selector } = place.fleet;
  // os and arch are answered by the agent's own report, and need no label (zoomies-notes 5).
  const labels = Object.fromEntries(Object.entries(selector).filter(([key]) => key !== "os" && key !== "arch"));
  const minted = await mintToken(parts, group, instance, { ttl: tokenLife, capacity, labels }).catch(observed);
  await tellJoin(parts, group, instance, [place.reason], minted.refusal);
  if (minted.refusal !== undefined) return minted;
  return { url: parts.zoomiesUrl, token: minted.token, name: instance, capacity, labels, backend };
}

const observing: Refusal = {
  status: 503,
  code: "observe_mode",
  message: "Drover only observes, so no token was minted. Set the stack's parameter Mode to act.",
};

function observed(error: unknown): Minted {
  if (error instanceof OnlyObserving) return { refusal: observing };
  throw error;
}

const notConfigured: Refusal = {
  status: 503,
  code: "join_not_configured",
  message: "Set ZoomiesApiUrl and ZoomiesHostRoleArn on the stack, so that Drover can ask Zoomies for tokens.",
};

function refusalOf(error: unknown): Refusal {
  if (error instanceof SecretNotSet || error instanceof SecretUnreadable) {
    return { status: 503, code: "token_not_set", message: `${error.message} Put Zoomies' API token into the secret.` };
  }
  if (error instanceof ZoomiesDenied) {
    const message =
      "Zoomies refuses Drover's token. It needs the admin role and the scopes joins:read and joins:write.";
    return { status: 503, code: "zoomies_denied", message };
  }
  if (error instanceof ZoomiesUnavailable || error instanceof OddAnswer) {
    return { status: 503, code: "zoomies_unreachable", message: "Zoomies could not be asked now. Ask again." };
  }
  if (error instanceof LedgerUnavailable) {
    return { status: 503, code: "ledger_unreachable", message: "The ledger could not be reached now. Ask again." };
  }
  return { status: 503, code: "aws_unreachable", message: "AWS could not be reached now. Ask again." };
}
