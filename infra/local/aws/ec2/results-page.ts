import { AwsError } from "../aws-error.ts";
import { pageOf } from "../paging.ts";

/** A page of an EC2 listing, with its token ready to be spread into the answer. */
export function resultsPage<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  request: { MaxResults?: number | undefined; NextToken?: string | undefined },
  limits: { byDefault: number; least: number; most: number },
): { items: readonly T[]; token: { NextToken?: string } } {
  const size = request.MaxResults ?? limits.byDefault;
  if (size < limits.least || size > limits.most) {
    throw new AwsError(
      "InvalidParameterValue",
      `Value ( ${size} ) for parameter maxResults is invalid. Expecting a value between ${limits.least} and ${limits.most}.`,
    );
  }
  const invalid = new AwsError("InvalidNextToken", "The token is not valid.");
  const page = pageOf(items, keyOf, size, request.NextToken, invalid);
  return { items: page.items, token: page.nextToken === undefined ? {} : { NextToken: page.nextToken } };
}
