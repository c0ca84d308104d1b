import { Marked, Tokenizer, type Token, type TokenizerThis, type Tokens } from "marked";
import { autolink } from "./autolink.ts";

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
