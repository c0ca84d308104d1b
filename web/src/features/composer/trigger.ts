/** What is being written that something can be proposed for. */
export interface Trigger {
  readonly kind: "mention" | "channel" | "emoji" | "command";
  /** Where its sign stands. */
  readonly start: number;
  /** Behind the sign, up to the caret. */
  readonly query: string;
}

const KINDS = { "@": "mention", "#": "channel", ":": "emoji" } as const;
/** Names have spaces, but not everything behind a sign is a name. */
const MENTION_MAX_CHARS = 32;
const MENTION_MAX_SPACES = 2;
/** Shorter ones are smileys such as :) or :D. */
const EMOJI_MIN_CHARS = 2;

/** What is being written at the caret: `@ada`, `#gen`, `:smi`, or `/com` at the beginning; null for anything else. */
export function findTrigger(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/([a-z0-9_-]*)$/.exec(before);
  if (command !== null) return { kind: "command", start: 0, query: command[1]! };
  const match = /(?:^|[^\w@#:/\\`])([@#:])([^@#:\n`]*)$/.exec(before);
  if (match === null) return null;
  const kind = KINDS[match[1] as keyof typeof KINDS];
  const query = match[2]!;
  if (!isQuery(kind, query)) return null;
  return { kind, start: before.length - query.length - 1, query };
}

function isQuery(kind: Trigger["kind"], query: string): boolean {
  if (kind === "emoji") return query.length >= EMOJI_MIN_CHARS && /^[\p{L}\p{N}_+-]+$/u.test(query);
  if (kind === "channel") return !/\s/.test(query);
  return (
    !query.startsWith(" ") &&
    query.length <= MENTION_MAX_CHARS &&
    query.split(" ").length - 1 <= MENTION_MAX_SPACES
  );
}

/** The name between two colons that ends at the caret: `:tada:`. */
export function closedEmoji(text: string, caret: number): { start: number; name: string } | null {
  const match = /(?:^|[^\w:])(:([a-z0-9_+-]+):)$/.exec(text.slice(0, caret));
  return match === null ? null : { start: caret - match[1]!.length, name: match[2]! };
}
