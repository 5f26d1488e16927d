import { parseArgs } from "node:util";

export const usage = `Usage: npm run zoomies -- plan --stack STACK --table TABLE [options]
  --stack           the stack's name (value of drover:stack)
  --table           the stack's output TableName
  --zoomies-url     Zoomies' address; without it only raises are planned
  --hosts-secret    the stack's output ZoomiesHostsTokenArn
  --joins-secret    the stack's output ZoomiesJoinsTokenArn
  --fresh, --join-deadline, --interval   minutes, minutes and seconds, where the stack's parameters differ from 15, 10, 10
Credentials and region are the AWS SDK's usual ones.`;

type Variables = Record<string, string | undefined>;

/** The functions' own environment variables, from options over what is set already; or what is wrong with the options. */
export function planVariables(args: readonly string[], variables: Readonly<Variables>): Variables | string {
  const text = { type: "string" } as const;
  const options = {
    stack: text,
    table: text,
    "zoomies-url": text,
    "hosts-secret": text,
    "joins-secret": text,
    fresh: text,
    "join-deadline": text,
    interval: text,
  };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.join(" ") !== "plan") return "There is one command: plan.";
    const found = {
      DROVER_STACK: values.stack ?? variables["DROVER_STACK"],
      DROVER_TABLE: values.table ?? variables["DROVER_TABLE"],
      DROVER_ZOOMIES_API_URL: values["zoomies-url"] ?? variables["DROVER_ZOOMIES_API_URL"],
      DROVER_ZOOMIES_HOSTS_SECRET: values["hosts-secret"] ?? variables["DROVER_ZOOMIES_HOSTS_SECRET"],
      DROVER_ZOOMIES_JOINS_SECRET: values["joins-secret"] ?? variables["DROVER_ZOOMIES_JOINS_SECRET"],
      DROVER_FRESH_MINUTES: values.fresh ?? variables["DROVER_FRESH_MINUTES"] ?? "15",
      DROVER_JOIN_DEADLINE_MINUTES: values["join-deadline"] ?? variables["DROVER_JOIN_DEADLINE_MINUTES"] ?? "10",
      DROVER_ZOOMIES_INTERVAL_SECONDS: values.interval ?? variables["DROVER_ZOOMIES_INTERVAL_SECONDS"] ?? "10",
    };
    if (!found.DROVER_STACK || !found.DROVER_TABLE) return "--stack and --table are needed.";
    if (found.DROVER_ZOOMIES_API_URL && !(found.DROVER_ZOOMIES_HOSTS_SECRET && found.DROVER_ZOOMIES_JOINS_SECRET)) {
      return "--zoomies-url needs --hosts-secret and --joins-secret.";
    }
    return found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
