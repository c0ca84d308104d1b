/** A piece of plain text, or something in it that stands for something else. */
export type TextPart =
  | string
  | { type: "user" | "role" | "channel"; id: string }
  | { type: "everyone"; text: "@everyone" | "@here" };

/** The same tokens as `parseMentions` of the contract counts, and links to channels. */
const TOKEN = /<(@&?|#)([0-9a-f]{24})>|(?<![\w@.])(@(?:everyone|here))(?![\w@])/g;
/** They turn the direction of the text around them, so that one address looks like another. Marks and isolates stay. */
const OVERRIDES = /[\u202A-\u202E]/g;
const KINDS = { "@": "user", "@&": "role", "#": "channel" } as const;

/** @param before the character before the text: `a@here` is no mention */
export function textParts(text: string, before = ""): TextPart[] {
  const parts: TextPart[] = [];
  const source = before + text;
  let from = before.length;
  for (const match of source.matchAll(TOKEN)) {
    const { 0: raw, 1: kind, 2: id, 3: all, index } = match;
    if (index < from) continue;
    if (index > from) parts.push(withoutOverrides(source.slice(from, index)));
    if (all !== undefined) parts.push({ type: "everyone", text: all as "@everyone" | "@here" });
    else parts.push({ type: KINDS[kind as keyof typeof KINDS], id: id! });
    from = index + raw.length;
  }
  if (from < source.length) parts.push(withoutOverrides(source.slice(from)));
  return parts;
}

export function withoutOverrides(text: string): string {
  return text.replace(OVERRIDES, "");
}
