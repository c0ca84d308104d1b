import { LINKS_PER_MESSAGE } from "./bounds.ts";

const MAX_URL_CHARS = 2048;
/** Code, then a link in angle brackets, which its author wants without a preview, then a link. Each begins with something of its own. */
const TOKEN = /```[\s\S]*?(?:```|$)|`[^`\n]*`|<https?:\/\/[^\s<>]*>|https?:\/\/[^\s<>"]+/gi;
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** The first links of a markdown text that are to have a preview, each once. */
export function findLinks(content: string): string[] {
  // Most messages end here.
  if (!content.includes("://")) return [];
  const links = new Set<string>();
  for (const [token] of content.matchAll(TOKEN)) {
    if (token.startsWith("`") || token.startsWith("<")) continue;
    const link = withoutEnd(token);
    if (link.length > MAX_URL_CHARS || !URL.canParse(link)) continue;
    links.add(new URL(link).href);
    if (links.size === LINKS_PER_MESSAGE) break;
  }
  return [...links];
}

/** What ends a sentence, or closes a bracket that was opened before the link, is not part of it. */
function withoutEnd(token: string): string {
  let link = token;
  for (;;) {
    const last = link.at(-1) ?? "";
    const opening = CLOSES[last];
    const isEnd = opening === undefined ? ".,;:!?'*_~|".includes(last) : !isBalanced(link, opening, last);
    if (last === "" || !isEnd) return link;
    link = link.slice(0, -1);
  }
}

function isBalanced(link: string, opening: string, closing: string): boolean {
  return link.split(opening).length >= link.split(closing).length;
}
