import { timingSafeEqual } from "node:crypto";
import { requestSignature, type SignedRequest, type SigningScope } from "./sigv4.ts";

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

  const scope: SigningScope = { stamp, region, service };
  const expected = requestSignature({ method, url, headers, body }, signed, scope, identity.secretKey);
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) return undefined;
  const { accountId, userArn, userId } = identity;
  return { accessKey, accountId, callerId: userId, userArn, userId };
}
