import { afterAll, beforeAll, expect, test } from "vitest";
import { startEcho } from "./echo-world.ts";

let echo: Awaited<ReturnType<typeof startEcho>>;
beforeAll(async () => {
  echo = await startEcho();
});
afterAll(() => echo.close());

const json = { "content-type": "application/json" };
const eventOf = async (...post: Parameters<typeof echo.post>) => JSON.parse((await echo.post(...post)).body).event;

test("a JSON body reaches the function as text, with the fields of payload format 2.0", async () => {
  const event = await eventOf('{"a":"ü"}', { ...json, "X-Odd-Case": "Value", "user-agent": "Go-http-client/1.1" });
  expect(event).toMatchObject({
    version: "2.0",
    routeKey: "POST /say",
    rawPath: "/say",
    rawQueryString: "",
    headers: { "content-type": "application/json", "x-odd-case": "Value", "content-length": "10" },
    requestContext: {
      accountId: "123456789012",
      apiId: "local",
      domainName: "local.execute-api.eu-west-1.amazonaws.com",
      http: {
        method: "POST",
        path: "/say",
        protocol: "HTTP/1.1",
        sourceIp: "127.0.0.1",
        userAgent: "Go-http-client/1.1",
      },
      routeKey: "POST /say",
      stage: "$default",
    },
    body: '{"a":"ü"}',
    isBase64Encoded: false,
  });
  expect(event.requestContext.time).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  expect(event.requestContext.timeEpoch).toBeTypeOf("number");
  expect(event).not.toHaveProperty("cookies");
  expect(event).not.toHaveProperty("queryStringParameters");
});

test.each([
  ["application/json", false],
  ["application/json; charset=utf-8", false],
  ["application/cloudevents+json", false],
  ["text/plain", false],
  ["application/octet-stream", true],
  ["application/x-www-form-urlencoded", true],
])("a body of type %s is base64: %s", async (type, isBase64Encoded) => {
  const event = await eventOf("bytes", { "content-type": type });
  expect(event.isBase64Encoded).toBe(isBase64Encoded);
  expect(event.body).toBe(isBase64Encoded ? Buffer.from("bytes").toString("base64") : "bytes");
});

test("a body without a type keeps its exact bytes, in base64", async () => {
  const event = await eventOf(Buffer.from([0xff, 0xfe, 0x00]));
  expect(event).toMatchObject({ body: "//4A", isBase64Encoded: true });
});

test("an empty body is absent from the event", async () => {
  expect(await eventOf("", json)).not.toHaveProperty("body");
});

test("equal headers and query parameters are joined with commas, cookies come apart", async () => {
  const event = await eventOf("", { "X-Twice": ["one", "two"], Cookie: "a=1; b=2" }, "/say?p=1&p=2&q=a%20b");
  expect(event.headers["x-twice"]).toBe("one,two");
  expect(event.cookies).toEqual(["a=1", "b=2"]);
  expect(event.headers).not.toHaveProperty("cookie");
  expect(event.rawQueryString).toBe("p=1&p=2&q=a%20b");
  expect(event.queryStringParameters).toEqual({ p: "1,2", q: "a b" });
});

test("a path or a method without a route is answered 404 by the gateway", async () => {
  const wrongPath = await echo.post("", json, "/other");
  expect(wrongPath).toMatchObject({ status: 404, body: '{"message":"Not Found"}' });
  expect((await echo.post("", json, "/say", "GET")).status).toBe(404);
  expect((await echo.post("", json, "/say/")).status).toBe(404);
});

test("a body over 10 MB is answered 413 by the gateway", async () => {
  expect((await echo.post(Buffer.alloc(10 * 1024 * 1024 + 1), json)).status).toBe(413);
});

const answered = (answer: unknown) => echo.post(JSON.stringify({ answer }), json);

test("status, headers, cookies and a base64 body of the answer arrive as they are meant", async () => {
  const body = Buffer.from("done").toString("base64");
  const reply = await answered({
    statusCode: 201,
    headers: { "X-Outcome": "applied" },
    cookies: ["a=1"],
    body,
    isBase64Encoded: true,
  });
  expect(reply).toMatchObject({ status: 201, body: "done" });
  expect(reply.headers).toMatchObject({ "x-outcome": "applied", "set-cookie": ["a=1"] });
});

test("an answer without a status is a JSON body of a 200", async () => {
  const reply = await answered({ fine: true });
  expect(reply).toMatchObject({ status: 200, body: '{"fine":true}' });
  expect(reply.headers["content-type"]).toBe("application/json");
});

test("a 204 carries no body", async () => {
  expect(await answered({ statusCode: 204, headers: { "x-drover-outcome": "applied" } })).toMatchObject({
    status: 204,
    body: "",
    headers: { "x-drover-outcome": "applied" },
  });
});

test.each([
  [{ statusCode: "many" }],
  [{ statusCode: 99 }],
  [{ statusCode: 200, body: { an: "object" } }],
  [{ statusCode: 200, headers: { a: ["list"] } }],
  [null],
])("the answer %j has no valid form and becomes a 500", async (answer) => {
  expect(await answered(answer)).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
});

test("a function that throws is a 500, and its error stays inside", async () => {
  const reply = await echo.post('{"throw":true}', json);
  expect(reply).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
});
