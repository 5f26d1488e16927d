/** What went wrong, for an operator and for programs. */
export interface Failure {
  /** The error's own name, such as AccessDeniedException. */
  readonly code: string;
  /** What happened and, where it is AWS that refused, what to do about it. */
  readonly message: string;
}

interface Advice {
  readonly codes: readonly string[];
  /** Whether others than AWS's clients fail with these codes too, so that it takes the SDK's mark. */
  readonly isCommon?: true;
  /** Whether what AWS says is kept. Of a wrong signature it is not: some services repeat the signed request, session token and all. */
  readonly isQuoted: boolean;
  readonly fix: string;
}

const where = "Check AWS_REGION and AWS_PROFILE.";
const advice: readonly Advice[] = [
  {
    codes: ["CredentialsProviderError", "TokenProviderError", "MissingAuthenticationToken"],
    isQuoted: true,
    fix: "There are no AWS credentials in this shell: log in (aws sso login), or set AWS_PROFILE.",
  },
  {
    codes: ["ExpiredToken", "ExpiredTokenException", "RequestExpired"],
    isQuoted: false,
    fix: "The AWS credentials of this shell have expired: log in again.",
  },
  {
    codes: [
      "UnrecognizedClientException",
      "InvalidClientTokenId",
      "AuthFailure",
      "SignatureDoesNotMatch",
      "InvalidSignatureException",
    ],
    isQuoted: false,
    fix: "AWS does not accept the credentials of this shell: check AWS_PROFILE, the keys, and this machine's clock.",
  },
  {
    codes: ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"],
    isQuoted: true,
    fix: "Use credentials that may do that; AWS_PROFILE chooses them.",
  },
  { codes: ["ResourceNotFoundException"], isQuoted: true, fix: `Is it in this account and region? ${where}` },
  {
    codes: ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "TimeoutError"],
    isCommon: true,
    isQuoted: true,
    fix: "AWS did not answer: check the network and AWS_REGION, and of a local world whether it still runs.",
  },
];

/** An error as it is told: its name and sentence, or those of the AWS error that caused it. Nothing else of a cause, which may hold a request. */
export function failureOf(error: unknown): Failure {
  for (const each of causes(error)) {
    const { name, message } = each;
    if (message === "Region is missing")
      return { code: name, message: "No region is set: set AWS_REGION to the stack's, or a region in the profile." };
    const own = [name, (each as { code?: unknown }).code];
    const found = advice.find(
      ({ codes, isCommon }) => codes.some((code) => own.includes(code)) && (!isCommon || "$metadata" in each),
    );
    if (found !== undefined) {
      const code = found.codes.find((known) => own.includes(known)) ?? name;
      return { code, message: found.isQuoted ? `${quoted(each)} ${found.fix}` : found.fix };
    }
  }
  if (!(error instanceof Error)) return { code: "Error", message: String(error) };
  return { code: error.name, message: quoted(error) };
}

function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let each = error; each instanceof Error && !found.includes(each); each = each.cause) found.push(each);
  return found;
}

/** As a sentence, without EC2's encoded message, which is longer than the rest and for nobody's eyes. */
function quoted({ name, message }: Error): string {
  const text = message.replace(/\s*Encoded authorization failure message:.*$/s, "").trim() || name;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
