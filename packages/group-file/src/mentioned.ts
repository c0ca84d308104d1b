/** Mentions in a text: users, and roles with `&`. */
export const MENTION = /<@(&?)([0-9a-f]{24})>/g;
