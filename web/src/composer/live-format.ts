import { LIMITS } from "@fanfare/contract/limits";
import { lex, safeUrl, type Token, type Tokens } from "../channel/messages/markdown/lex.ts";

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** `mark`: characters that the message won't show. `composing`: text that an input method hasn't committed. */
export type Format =
  | "strong"
  | "em"
  | "del"
  | "code"
  | "quote"
  | "link"
  | "spoiler"
  | "mention"
  | "mark"
  | "composing";

export interface FormatRange extends TextRange {
  readonly format: Format;
}

export interface TextPiece {
  readonly text: string;
  readonly formats: readonly Format[];
}

/** More text can't be sent, also if its mentions are longer in the field. */
const MAX_CHARS = 4 * LIMITS.messageMaxChars;

/** Formats the text of a field. Parts that haven't changed since the last time aren't parsed again. */
export class LiveFormatter {
  #known = new Map<string, readonly TextPiece[]>();

  /**
   * @param marked names that are sent as mentions, and text that is being composed
   * @returns the pieces of each part
   */
  format(text: string, marked: readonly FormatRange[]): readonly (readonly TextPiece[])[] {
    const known = new Map<string, readonly TextPiece[]>();
    let end = 0;
    const parts = text.length > MAX_CHARS ? [text] : splitParts(text);
    const formatted = parts.map((part) => {
      const start = end;
      end += part.length;
      const inside = marked
        .filter(({ from, to }) => from < end && to > start)
        .map((range) => ({ ...range, from: range.from - start, to: range.to - start }));
      const key = inside.length === 0 ? part : JSON.stringify([part, inside]);
      const pieces = this.#known.get(key) ?? splitFormats(part, [...findFormats(part, inside), ...inside]);
      known.set(key, pieces);
      return pieces;
    });
    this.#known = known;
    return formatted;
  }
}

/** A longer paragraph ends at a line. Formats that continue on the next line are then not shown. */
const MAX_PART_CHARS = 1000;

/** Splits a text after paragraphs and code blocks. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  let fence: string | null = null;
  for (const line of text.split(/(?<=\n)/)) {
    part += line;
    if (fence === null) fence = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? null;
    else if (line.trim().startsWith(fence) && /^\s*(?:`+|~+)\s*$/.test(line)) fence = null;
    if (fence !== null || (line.trim() !== "" && part.length < MAX_PART_CHARS)) continue;
    parts.push(part);
    part = "";
  }
  return part === "" ? parts : [...parts, part];
}

const MARKUP = /[*_~`|>#[]|:\/\/|www\.|@(?:everyone|here)/i;

function findFormats(text: string, marked: readonly FormatRange[]): FormatRange[] {
  if (text.length > MAX_CHARS || !MARKUP.test(text)) return [];
  const names = marked.filter(({ format }) => format === "mention");
  return new Finder(withoutNames(text, names)).find();
}

/** Names can contain markup. On the wire they are tokens, which the parser sees as `<…>`. */
function withoutNames(text: string, mentions: readonly TextRange[]): string {
  let source = "";
  let at = 0;
  for (const { from, to } of mentions) {
    source += `${text.slice(at, from)}<${"x".repeat(to - from - 2)}>`;
    at = to;
  }
  return source + text.slice(at);
}

const DELIMITERS: Readonly<Record<string, RegExp>> = {
  strong: /^[*_]{2}/,
  em: /^[*_]/,
  del: /^~+/,
  spoiler: /^\|\|/,
};

/**
 * Finds the positions of the parser's tokens, which only contain their text: the text of each token follows that of the previous one,
 * with quote marks, indentation and the like in between.
 */
class Finder {
  readonly #source: string;
  readonly #found: FormatRange[] = [];
  #at = 0;
  /** The end of the current top-level block. */
  #end = 0;

  constructor(source: string) {
    this.#source = source;
  }

  find(): FormatRange[] {
    for (const token of lex(this.#source)) {
      const from = this.#source.indexOf(token.raw, this.#end);
      if (from < 0) break;
      this.#at = from;
      this.#end = from + token.raw.length;
      if (token.type === "blockquote") this.#quote(from, token.raw);
      this.#block(token);
    }
    return this.#found;
  }

  #block(token: Tokens.Generic): void {
    switch (token.type) {
      case "code":
        return this.#fence(token.raw.trimEnd());
      case "heading":
        return this.#heading(token as Tokens.Heading);
      case "list":
        for (const item of (token as Tokens.List).items) {
          this.#skipBullet();
          this.#blocks(item.tokens);
        }
        return;
      case "table": {
        const { header, rows } = token as Tokens.Table;
        for (const cell of [header, ...rows].flat()) this.#inline(cell.tokens);
        return;
      }
      case "blockquote":
        return this.#blocks(token.tokens ?? []);
      default:
        return this.#inline(token.tokens ?? []);
    }
  }

  #blocks(tokens: readonly Token[]): void {
    for (const token of tokens) this.#block(token);
  }

  #quote(from: number, raw: string): void {
    this.#add("quote", from, from + raw.length);
    for (const { 0: mark, index } of raw.matchAll(/^ {0,3}>(?: ?>)*/gm)) {
      this.#add("mark", from + index, from + index + mark.length);
    }
  }

  #fence(raw: string): void {
    const lines = raw.split("\n").map((line) => this.#take(line));
    const [first, last] = [lines[0], lines.at(-1)];
    if (first == null || last == null) return;
    this.#add("code", first.from, last.to);
    this.#add("mark", first.from, first.to);
    if (lines.length > 1 && /\n[ \t]*(?:`{3,}|~{3,})$/.test(raw)) this.#add("mark", last.from, last.to);
  }

  #heading({ depth, tokens }: Tokens.Heading): void {
    const mark = this.#take("#".repeat(depth));
    if (mark === null) return;
    this.#add("mark", mark.from, mark.to);
    this.#inline(tokens);
    this.#add("strong", mark.to, this.#at);
  }

  #inline(tokens: readonly Token[]): void {
    for (const token of tokens) this.#piece(token);
  }

  #piece(token: Tokens.Generic): void {
    const { type, raw } = token;
    switch (type) {
      case "strong":
      case "em":
      case "del":
      case "spoiler":
        return this.#wrapped(type, DELIMITERS[type]!.exec(raw)?.[0] ?? "", token.tokens ?? []);
      case "codespan":
        return this.#codeSpan(raw);
      case "link":
      case "image":
        return this.#link(token as Tokens.Link);
      case "escape": {
        const taken = this.#take(raw);
        if (taken !== null) this.#add("mark", taken.from, taken.from + 1);
        return;
      }
      default:
        if (token.tokens !== undefined) return this.#inline(token.tokens);
        return this.#text(raw);
    }
  }

  #wrapped(format: Format, delimiter: string, tokens: readonly Token[]): void {
    const open = this.#take(delimiter);
    this.#inline(tokens);
    const close = this.#take(delimiter);
    if (open === null || close === null) return;
    this.#add("mark", open.from, open.to);
    this.#add(format, open.to, close.from);
    this.#add("mark", close.from, close.to);
  }

  #codeSpan(raw: string): void {
    const taken = this.#take(raw);
    const ticks = /^`+/.exec(raw)?.[0].length ?? 0;
    if (taken === null) return;
    this.#add("code", taken.from, taken.to);
    this.#add("mark", taken.from, taken.from + ticks);
    this.#add("mark", taken.to - ticks, taken.to);
  }

  #link({ type, raw, href, tokens }: Tokens.Link | Tokens.Image): void {
    // Other links are shown as they were written.
    if (safeUrl(href) === null) {
      this.#take(raw);
      return;
    }
    const tail = raw.lastIndexOf("](");
    if (type === "image" || tail < 0) {
      const taken = this.#take(raw);
      if (taken !== null) this.#add("link", taken.from, taken.to);
      return;
    }
    const open = this.#take("[");
    this.#inline(tokens ?? []);
    const close = this.#take(raw.slice(tail));
    if (open === null || close === null) return;
    this.#add("mark", open.from, open.to);
    this.#add("link", open.to, close.from);
    this.#add("mark", close.from, close.to);
  }

  #text(raw: string): void {
    const taken = this.#take(raw);
    if (taken === null || !raw.includes("@")) return;
    const everyone = /(?<![\w@.])@(?:everyone|here)(?![\w@])/g;
    everyone.lastIndex = taken.from;
    for (let match = everyone.exec(this.#source); match !== null; match = everyone.exec(this.#source)) {
      if (match.index >= taken.to) return;
      this.#add("mention", match.index, match.index + match[0].length);
    }
  }

  /** Moves to the end of the next occurrence. Lines can have marks of their block in between. */
  #take(expected: string): TextRange | null {
    let from = -1;
    for (const line of expected.split("\n")) {
      const at = this.#source.indexOf(line, this.#at);
      if (at < 0 || at + line.length > this.#end) return null;
      if (from < 0) from = at;
      this.#at = at + line.length;
    }
    return { from, to: this.#at };
  }

  #skipBullet(): void {
    const bullet = /[\s>]*(?:[*+-]|\d+[.)])/y;
    bullet.lastIndex = this.#at;
    if (bullet.test(this.#source)) this.#at = bullet.lastIndex;
  }

  #add(format: Format, from: number, to: number): void {
    if (from < to) this.#found.push({ format, from, to });
  }
}

/** Splits a text where formats begin or end. */
function splitFormats(text: string, ranges: readonly FormatRange[]): TextPiece[] {
  const edges = ranges
    .flatMap(({ format, from, to }) => [
      { at: from, format, step: 1 },
      { at: to, format, step: -1 },
    ])
    .toSorted((a, b) => a.at - b.at);
  const pieces: TextPiece[] = [];
  const depths = new Map<Format, number>();
  let from = 0;
  for (const { at, format, step } of [...edges, { at: text.length, format: null, step: 0 }]) {
    if (at > from) {
      pieces.push({ text: text.slice(from, at), formats: [...depths.keys()] });
      from = at;
    }
    if (format === null) break;
    const depth = (depths.get(format) ?? 0) + step;
    if (depth > 0) depths.set(format, depth);
    else depths.delete(format);
  }
  return pieces;
}
