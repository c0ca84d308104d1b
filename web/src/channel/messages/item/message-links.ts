import type { Token, Tokens } from "marked";
import { parsePlace } from "../../../routes.ts";
import { lex } from "../markdown/lex.ts";

/** Links to further messages have no preview. */
export const MAX_LINKED = 5;
const PLACE = /^\/(?:groups\/[0-9a-f]{24}\/channels|direct)\/([0-9a-f]{24})$/;

export interface MessageLink {
  /** A thread, or the channel. */
  channelId: string;
  messageId: string;
  path: string;
}

/** The messages of this instance that a text links to, once each. Not those in code, or in quotes, which have the text already. */
export function messageLinks(content: string, origin: string): MessageLink[] {
  if (!content.includes(`${origin}/`)) return [];
  const found = new Map<string, MessageLink>();
  for (const href of hrefsIn(lex(content))) {
    const url = URL.parse(href);
    const [, channelId] = (url?.origin === origin && PLACE.exec(url.pathname)) || [];
    if (url === null || channelId === undefined) continue;
    const { message: messageId, thread } = parsePlace(url.search);
    if (messageId === undefined) continue;
    found.set(messageId, { channelId: thread ?? channelId, messageId, path: url.pathname + url.search });
  }
  return [...found.values()].slice(0, MAX_LINKED);
}

function hrefsIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const { type, href, tokens: children = [], items = [] } = token as Tokens.Generic & { items?: Token[] };
    if (type === "blockquote") return [];
    return type === "link" ? [String(href)] : hrefsIn([...children, ...items]);
  });
}
