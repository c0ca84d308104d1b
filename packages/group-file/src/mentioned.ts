/** Matches mentions in a text: of users, and of roles with `&`. */
export const MENTION = /<@(&?)([0-9a-f]{24})>/g;
