import { randomBytes } from "node:crypto";
import { apiFaults } from "../zoomies/api/faults.ts";
import type { ApiAnswers, ApiTokens } from "../zoomies/api/router.ts";
import { startApiServer } from "../zoomies/api/server.ts";

export type LocalZoomiesApi = {
  url: string;
  hostsToken: string;
  joinsToken: string;
  /** What the controller allows the two tokens, as an operator would set them up. */
  tokens: ApiTokens;
  /** From here on these answer; before that nobody does. */
  answerWith(answers: ApiAnswers): void;
  close(): Promise<void>;
};

/** The address of a Zoomies controller that starts a moment later, since Drover is told the address first. */
export async function startZoomiesApi(): Promise<LocalZoomiesApi> {
  let answers: ApiAnswers | undefined;
  const server = await startApiServer(
    {
      route: (request) => answers?.route(request) ?? "",
      answer: (request) => answers?.answer(request) ?? { status: 503 },
    },
    apiFaults(),
  );
  const [hostsToken, joinsToken] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex")];
  return {
    url: server.url,
    hostsToken,
    joinsToken,
    tokens: {
      [hostsToken]: {
        role: "admin",
        scopes: ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read"],
      },
      [joinsToken]: { role: "admin", scopes: ["joins:read", "joins:write"] },
    },
    answerWith(given) {
      answers = given;
    },
    close: server.close,
  };
}
