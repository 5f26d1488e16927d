import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** A set of temporary credentials, and whose they are, under the names that a function is told. */
export type IamIdentity = {
  secretKey: string;
  sessionToken: string;
  accountId: string;
  userArn: string;
  userId: string;
};

/** What IAM knows of an access key id; undefined when there is no such key. */
export type IamIdentities = (accessKeyId: string) => IamIdentity | undefined;

export type IamClaims = { accessKey: string; accountId: string; callerId: string; userArn: string; userId: string };

type SignedRequest = {
  method: string;
  /** Path and query as they came over the wire. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
};

const pattern =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
/** API Gateway takes a signature for five minutes either way. */
const toleranceMs = 300_000;

/**
 * Who signed a request to an HTTP API with AWS_IAM (IAM user guide, "Create a signed AWS API request"); undefined when
 * nobody did, or wrongly. Host, date and session token must be among what was signed.
 */
export function iamClaims(
  { method, url, headers, body }: SignedRequest,
  region: string,
  identities: IamIdentities,
  now: number,
): IamClaims | undefined {
  const [, accessKey = "", day, inRegion, service, names = "", signature = ""] =
    pattern.exec(String(headers["authorization"] ?? "")) ?? [];
  const identity = identities(accessKey);
  const stamp = String(headers["x-amz-date"] ?? "");
  const at = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const signed = names.split(";");
  if (identity === undefined || inRegion !== region || service !== "execute-api") return undefined;
  if (!(Math.abs(now - at) <= toleranceMs) || !stamp.startsWith(day ?? "-")) return undefined;
  if (!["host", "x-amz-date", "x-amz-security-token"].every((name) => signed.includes(name))) return undefined;
  if (headers["x-amz-security-token"] !== identity.sessionToken) return undefined;

  const [path = "/", query = ""] = url.split("?");
  const lines = signed.map(
    (name) =>
      `${name}:${String(headers[name] ?? "")
        .trim()
        .replaceAll(/ +/g, " ")}`,
  );
  const sorted = query === "" ? "" : query.split("&").sort().join("&");
  const request = [method, path, sorted, ...lines, "", names, sha256(body)].join("\n");
  const scope = `${day}/${region}/execute-api/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", stamp, scope, sha256(Buffer.from(request))].join("\n");
  const key = scope
    .split("/")
    .reduce<Buffer>(
      (last, part) => createHmac("sha256", last).update(part).digest(),
      Buffer.from(`AWS4${identity.secretKey}`),
    );
  const expected = createHmac("sha256", key).update(text).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) return undefined;
  const { accountId, userArn, userId } = identity;
  return { accessKey, accountId, callerId: userId, userArn, userId };
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
