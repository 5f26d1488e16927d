import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { agentScriptText, bootScriptText } from "../../lib/kici/agent-scripts.ts";
import { parseTemplateText } from "../local/cloudformation/tags.ts";
import { root } from "./entry-points.ts";

/** A shell script that an instance runs from its user data. */
export interface UserDataScript {
  readonly name: string;
  readonly text: string;
}

type CloudConfig = { readonly runcmd?: readonly (string | readonly string[])[] };
type Example = {
  readonly Resources: Readonly<
    Record<string, { readonly Properties: { readonly LaunchTemplateData?: { readonly UserData?: unknown } } }>
  >;
};

/** What the code writes for KiCI's agents, and what the example for Zoomies' hosts gives to a shell. */
export function userDataScripts(): readonly UserDataScript[] {
  return [
    { name: "boot script of KiCI's agents", text: bootScriptText(120) },
    { name: "agent script of KiCI's agents", text: agentScriptText("quay.io/kici-dev/kici-agent:0.16.0") },
    ...scriptsOfExample("infra/examples/zoomies-group.yaml"),
  ];
}

function scriptsOfExample(file: string): UserDataScript[] {
  const example = parseTemplateText(readFileSync(`${root}${file}`, "utf8")) as Example;
  return Object.values(example.Resources).flatMap(({ Properties }) => {
    const userData = Properties.LaunchTemplateData?.UserData as { "Fn::Base64": { "Fn::Sub": string } } | undefined;
    const { runcmd = [] } = parse(userData?.["Fn::Base64"]["Fn::Sub"] ?? "{}") as CloudConfig;
    return runcmd.flatMap((command, at) => {
      const text = typeof command === "string" ? command : command[0] === "sh" ? command.at(-1) : undefined;
      // What CloudFormation replaces is no shell variable.
      const replaced = text?.replace(/\$\{\w+\}/g, "https://example.com");
      return replaced === undefined ? [] : [{ name: `${file}, command ${at + 1}`, text: `#!/bin/sh\n${replaced}\n` }];
    });
  });
}
