import { createHash, createHmac } from "node:crypto";

export type SignedRequest = {
  method: string;
  /** Path and query as they go over the wire. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
};

/** `stamp` is the request's own time, `20260905T120000Z`. */
export type SigningScope = { stamp: string; region: string; service: string };

/**
 * Signature Version 4 of a request (IAM user guide, "Create a signed AWS API request"); `signed` names the headers that
 * are covered, in order.
 */
export function requestSignature(
  { method, url, headers, body }: SignedRequest,
  signed: readonly string[],
  { stamp, region, service }: SigningScope,
  secretKey: string,
): Buffer {
  const [path = "/", query = ""] = url.split("?");
  const lines = signed.map(
    (name) =>
      `${name}:${String(headers[name] ?? "")
        .trim()
        .replaceAll(/ +/g, " ")}`,
  );
  const sorted = query === "" ? "" : query.split("&").sort().join("&");
  const request = [method, path, sorted, ...lines, "", signed.join(";"), sha256(body)].join("\n");
  const scope = scopeText({ stamp, region, service });
  const text = ["AWS4-HMAC-SHA256", stamp, scope, sha256(Buffer.from(request))].join("\n");
  const key = scope
    .split("/")
    .reduce<Buffer>((last, part) => createHmac("sha256", last).update(part).digest(), Buffer.from(`AWS4${secretKey}`));
  return createHmac("sha256", key).update(text).digest();
}

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

/** The headers of a request without a body that an instance signs with its own role. */
export function signedHeaders(
  method: string,
  url: URL,
  credentials: Credentials,
  place: { region: string; service: string },
  now: number,
): Record<string, string> {
  const stamp = `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const headers: Record<string, string> = {
    host: url.host,
    "x-amz-date": stamp,
    "x-amz-security-token": credentials.sessionToken,
  };
  const names = Object.keys(headers).sort();
  const request = { method, url: `${url.pathname}${url.search}`, headers, body: Buffer.alloc(0) };
  const scope = { stamp, ...place };
  const signature = requestSignature(request, names, scope, credentials.secretAccessKey).toString("hex");
  const credential = `${credentials.accessKeyId}/${scopeText(scope)}`;
  headers["authorization"] =
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return headers;
}

const scopeText = ({ stamp, region, service }: SigningScope): string =>
  `${stamp.slice(0, 8)}/${region}/${service}/aws4_request`;

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
