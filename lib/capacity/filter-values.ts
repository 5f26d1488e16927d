/**
 * A value for an EC2 filter that matches itself alone: in filters `*` and `?` are wildcards and a backslash takes their
 * meaning away (EC2 user guide, "Filter your resources"). Without this an agent called `*` would name every instance.
 */
export const exactly = (value: string): string => value.replace(/[*?\\]/g, "\\$&");
