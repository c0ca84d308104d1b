import type { Tokens } from "marked";

const START = /^(?:https?:\/\/|www\.)(?=[\p{L}\p{N}[])/iu;
/** Full-width punctuation ends a sentence, not an address: `看https://example.org，很好`. */
const BODY = /^[^\s<>"`，。、；：？！（）「」『』【】《》〈〉〔〕“”‘’…　\p{Cc}\p{Bidi_Control}]+/u;
const TRAILING = /[.,;:!?'*_~|)\]}]$/;
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** The address that a text begins with, without the punctuation around it. */
export function autolink(src: string): Tokens.Link | undefined {
  if (!START.test(src)) return undefined;
  const text = trimmed(BODY.exec(src)?.[0] ?? "");
  if (!START.test(text)) return undefined;
  const href = text.toLowerCase().startsWith("www.") ? `https://${text}` : text;
  const tokens = [{ type: "text", raw: text, text }];
  return { type: "link", raw: text, text, href, autolink: true, tokens };
}

/** `(see https://example.org/a_(b))` keeps the inner pair and leaves the outer one. */
function trimmed(text: string): string {
  let end = text.length;
  const open: Record<string, number> = {};
  for (const character of text) open[character] = (open[character] ?? 0) + 1;
  while (TRAILING.test(text.slice(end - 1, end))) {
    const last = text.charAt(end - 1);
    const opener = CLOSES[last];
    if (opener !== undefined && (open[last] ?? 0) <= (open[opener] ?? 0)) break;
    open[last] = (open[last] ?? 0) - 1;
    end -= 1;
  }
  return text.slice(0, end);
}
