import type { Check } from "../diagnosis.ts";

/** Fleets that could not be looked at: without them nothing else here means much. */
export const unread: Check = ({ groups, templates }) =>
  [
    ["Auto Scaling groups", groups.unread],
    ["launch templates", templates.unread],
  ].flatMap(([resource = "", reason]) =>
    reason === undefined
      ? []
      : [
          {
            severity: "error" as const,
            code: "unread",
            resource,
            what: `They could not be read. ${reason}`,
            why: "Nothing is known of the fleets.",
            fix: "Run it with credentials that may read Auto Scaling, EC2, Secrets Manager, CloudFormation, IAM and Lambda.",
          },
        ],
  );
