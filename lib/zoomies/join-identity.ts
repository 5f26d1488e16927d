import type { APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";
import type { Refusal } from "../edge/http-answer.ts";

type RequestContext = APIGatewayProxyEventV2WithIAMAuthorizer["requestContext"];

const instanceId = /^i-[0-9a-f]{8,17}$/;
const assumedRole = /^arn:([^:]+):sts::(\d{12}):assumed-role\/([^/]+)\/(.+)$/;
const role = /^arn:([^:]+):iam::(\d{12}):role\/(?:.+\/)?([^/]+)$/;

const refused = (code: string, message: string): { readonly refusal: Refusal } => ({
  refusal: { status: 403, code, message },
});

/**
 * Which instance asks, from what API Gateway has verified (AWS_IAM): EC2 names an instance's session after the instance,
 * so an instance can speak for itself and for no other. `hostRoleArn` is the role that the hosts carry; a session's ARN
 * has no path, and role names are unique in an account whatever their path.
 */
export function instanceOf(
  context: RequestContext,
  hostRoleArn: string,
): { readonly instance: string; readonly refusal?: undefined } | { readonly refusal: Refusal } {
  const { accountId, userArn, userId } = context.authorizer?.iam ?? {};
  const asked = assumedRole.exec(userArn ?? "");
  const wanted = role.exec(hostRoleArn);
  if (asked === null || wanted === null || userId === undefined) {
    return refused("not_a_role", "Only an instance with its own role may ask to join.");
  }
  const [, partition, account, name, session] = asked;
  if (account !== accountId || account !== context.accountId || account !== wanted[2] || partition !== wanted[1]) {
    return refused("foreign_account", "The caller's account is not the one that Drover serves.");
  }
  if (name !== wanted[3]) {
    return refused("foreign_role", `Hosts join with the role ${wanted[3]}. Give the launch template its profile.`);
  }
  // AROA...:i-... : the role's own id, then the session.
  const own = userId.slice(userId.indexOf(":") + 1);
  if (session === undefined || own !== session || !instanceId.test(session)) {
    return refused("not_an_instance", "The role's session is not an instance's own.");
  }
  return { instance: session };
}
