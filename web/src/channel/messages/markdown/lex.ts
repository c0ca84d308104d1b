import { Marked, Tokenizer, type Token, type TokenizerThis, type Tokens } from "marked";

const START = /^(?:https?:\/\/|www\.)(?=[\p{L}\p{N}[])/iu;

/** Full-width punctuation ends a sentence, not an address: `看https://example.org，很好`. */
const BODY = /^[^\s<>"`，。、；：？！（）「」『』【】《》〈〉〔〕“”‘’…　\p{Cc}\p{Bidi_Control}]+/u;

const TRAILING = /[.,;:!?'*_~|)\]}]$/;

const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

export type { Token, Tokens };

/** Deeper quotes, lists and emphasis are plain text: a message must not make the page slow, nor overflow the stack. */
const MAX_DEPTH = 8;

/** Each mark that may begin an emphasis costs a search for its end: the ones after these are plain text. */
const MAX_EMPHASES = 200;

let depth = 0;
let emphases = 0;

/** Lexing is synchronous, so one set of counters does for all texts. */
function deeper<T>(work: () => T): T | undefined {
  if (depth >= MAX_DEPTH) return undefined;
  depth += 1;
  try {
    return work();
  } finally {
    depth -= 1;
  }
}

function emphasis<T>(work: () => T): T | undefined {
  emphases += 1;
  return emphases > MAX_EMPHASES ? undefined : deeper(work);
}

const base = Tokenizer.prototype;

const lexer = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    blockquote(src) {
      return deeper(() => base.blockquote.call(this, src));
    },
    list(src) {
      return deeper(() => base.list.call(this, src));
    },
    emStrong(src, maskedSrc, prevChar) {
      return emphasis(() => base.emStrong.call(this, src, maskedSrc, prevChar));
    },
    del(src, maskedSrc, prevChar) {
      return emphasis(() => base.del.call(this, src, maskedSrc, prevChar));
    },
    link(src) {
      return deeper(() => base.link.call(this, src));
    },
    url(src) {
      return autolink(src) ?? false;
    },
    // HTML is text. So is what would vanish (definitions of links), or surprise in a chat: a line of dashes that makes a
    // heading of the one above, and code by indentation, which mentions are not looked for in either.
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    lheading: () => undefined,
    code: () => undefined,
  },
  extensions: [
    {
      name: "spoiler",
      level: "inline",
      start: (src) => src.indexOf("||"),
      tokenizer(this: TokenizerThis, src) {
        const match = /^\|\|(?!\|)([\s\S]+?)\|\|(?!\|)/.exec(src);
        if (match === null) return undefined;
        return deeper(() => {
          const tokens = this.lexer.inlineTokens(match[1]!, []);
          return { type: "spoiler", raw: match[0], tokens };
        });
      },
    },
  ],
});

/** The blocks of a markdown text. It never throws, and takes milliseconds for the worst text of 4,000 characters. */
export function lex(content: string): Token[] {
  depth = 0;
  emphases = 0;
  return lexer.lexer(content);
}

/** The address that a text begins with, without the punctuation around it. */
function autolink(src: string): Tokens.Link | undefined {
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
