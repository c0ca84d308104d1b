/** Who or what a text mentions: users, and with `&` roles. */
export const MENTION = /<@(&?)([0-9a-f]{24})>/g;
