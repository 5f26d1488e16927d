import { expect, test } from "vitest";
import { refuse } from "../../lib/edge/http-answer.ts";

test("a refusal is its status and a JSON body of code and message, nothing else", () => {
  const answer = refuse({ status: 404, code: "pool_not_served", message: 'Tag "x".' }, { "retry-after": "5" });
  expect(answer).toEqual({
    statusCode: 404,
    headers: { "content-type": "application/json", "retry-after": "5" },
    body: '{"code":"pool_not_served","message":"Tag \\"x\\"."}',
  });
});
