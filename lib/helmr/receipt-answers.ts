import { type AnswerFields, answerFields } from "./answer-fields.ts";
import { receiptPhases, type ScaleInReceipt } from "./protocol.ts";

/**
 * A scale-in receipt, wrapped in `operation` or bare. Its identities' names are inferred (helmr-notes 2.4): each may be
 * missing, but where it is there it must be readable. `askedFor` is the key of the operation that was asked about; an
 * answer about another one is odd.
 */
export function receipt(value: unknown, askedFor: string): ScaleInReceipt {
  const outer = answerFields(value, "scale-in receipt");
  return receiptOf(outer.has("operation") ? outer.object("operation") : outer, askedFor);
}

/** The outstanding receipt; undefined only where the answer says `operation: null` in so many words. */
export function pendingReceipt(value: unknown): ScaleInReceipt | undefined {
  const outer = answerFields(value, "pending scale-in");
  if (outer.raw("operation") === null) return undefined;
  return receiptOf(outer.has("operation") ? outer.object("operation") : outer, undefined);
}

function receiptOf(fields: AnswerFields, askedFor: string | undefined): ScaleInReceipt {
  const key = fields.has("operation_key") || askedFor === undefined ? fields.id("operation_key") : askedFor;
  if (askedFor !== undefined && key !== askedFor) throw fields.odd("operation_key is another operation's");
  return {
    operation_key: key,
    phase: fields.word("phase", receiptPhases),
    ...identity("worker_group_id", fields, ["worker_group_id"], fields.id),
    ...identity("worker_pool_id", fields, ["worker_pool_id"], fields.id),
    ...identity("worker_host_id", fields, ["worker_host_id"], fields.id),
    ...identity("resource_id", fields, ["resource_id"], fields.text),
    ...identity("epoch", fields, ["epoch", "worker_epoch", "expected_epoch"], fields.whole),
    ...identity("claim_version", fields, ["claim_version"], fields.whole),
  };
}

/** The identity under the first of its possible names; two that differ are no identity. */
function identity<N extends string, T>(
  as: N,
  fields: AnswerFields,
  names: readonly string[],
  read: (name: string) => T,
): { readonly [K in N]?: T } {
  const [first, ...others] = names.filter(fields.has).map(read);
  if (others.some((other) => other !== first)) throw fields.odd(`it names two ${as} values`);
  return first === undefined ? {} : ({ [as]: first } as { readonly [K in N]?: T });
}
