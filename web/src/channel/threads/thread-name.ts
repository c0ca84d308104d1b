import type { Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { lex } from "../messages/markdown/lex.ts";
import { plainText } from "../messages/markdown/text-parts.ts";

/** Long enough to know what it is about, and short enough for a list. */
const MAX_CHARS = Math.min(60, LIMITS.channelNameMaxChars);
/** Names of what is mentioned may be others tomorrow. */
const TOKEN = /<(?:@&?|#)[0-9a-f]{24}>/g;

/** Names have none: controls, and what turns the direction of the text around it. */
const NOT_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** What a thread about a message is called: the beginning of what it says; empty where it says nothing. */
export function threadNameOf({ content, attachments }: Pick<Message, "content" | "attachments">): string {
  const said = plainText(lex(content))
    .replace(TOKEN, "")
    .replace(NOT_IN_NAMES, " ")
    .replace(/\s+/g, " ")
    .trim();
  const text = said === "" ? (attachments?.[0]?.name ?? "") : said;
  if (text.length <= MAX_CHARS) return text;
  // No half of a character that has two units.
  const cut = text.slice(0, MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.trimEnd()}…`;
}
