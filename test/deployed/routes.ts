import type { AwsCalls } from "./aws-call.ts";
import { functionArn, ofType, type Properties, physicalId, type Stack } from "./stack.ts";

/** A route of a stack's HTTP API, as the SAM transform wrote it into the API's OpenAPI body. */
export interface Route {
  /** `POST /zoomies/capacity` */
  readonly key: string;
  readonly api: string;
  /** Logical id. */
  readonly functionId: string;
  readonly integration: Properties;
}

export function routesOf(stack: Stack): Route[] {
  return ofType(stack, "AWS::ApiGatewayV2::Api").flatMap((api) => {
    const paths = (stack.template.Resources[api]?.Properties["Body"]?.paths ?? {}) as Record<string, Properties>;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(chosen(methods)).flatMap(([method, written]) => {
        const operation = chosen(written);
        const integration = operation["x-amazon-apigateway-integration"] as Properties;
        const uri = chosen(integration["uri"] as Properties)["Fn::Sub"];
        const [, functionId] = /\$\{(\w+)\.Arn\}\/invocations$/.exec(String(uri)) ?? [];
        if (functionId === undefined) throw new Error(`${method} ${path} leads to no function.`);
        if (stack.resources[functionId] === undefined) return [];
        const verb = method === "x-amazon-apigateway-any-method" ? "ANY" : method.toUpperCase();
        return [{ key: `${verb} ${path}`, api, functionId, integration }];
      }),
    );
  });
}

/** The transform puts path, method and target of a conditional function behind that condition, each by itself. Which hold is seen by the functions. */
function chosen(value: Properties): Properties {
  const choice = value["Fn::If"] as [string, Properties, unknown] | undefined;
  return choice === undefined ? value : choice[1];
}

/** What API Gateway does with the body of an API, and MiniStack does not: makes its routes and integrations. */
export async function importRoutes(aws: AwsCalls, stack: Stack): Promise<void> {
  for (const { key, api, functionId, integration } of routesOf(stack)) {
    const path = `/v2/apis/${physicalId(stack, api)}`;
    const { integrationId } = await aws.rest<{ integrationId: string }>("apigateway", "POST", `${path}/integrations`, {
      integrationType: String(integration["type"]).toUpperCase(),
      integrationMethod: integration["httpMethod"],
      integrationUri: functionArn(physicalId(stack, functionId)),
      payloadFormatVersion: integration["payloadFormatVersion"],
    });
    const target = `integrations/${integrationId}`;
    await aws.rest("apigateway", "POST", `${path}/routes`, { routeKey: key, target });
  }
}
