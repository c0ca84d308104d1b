import vm from "node:vm";
import type { BSONRegExp } from "bson";
import { RE2JS } from "re2js";
import { CommandError } from "../errors.ts";
import { bsonType } from "../values/types.ts";

export const isRegex = (value: unknown): value is RegExp | BSONRegExp =>
  value instanceof RegExp || bsonType(value) === "BSONRegExp";

/** PCRE's option `x`: ignores white space and comments outside of character classes. */
function stripExtended(pattern: string): string {
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]])*\]|\s+|#[^\n]*/g, (part) =>
    /^[\s#]/.test(part) ? "" : part,
  );
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  "^digit": "\\D",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  "^space": "\\S",
  upper: "A-Z",
  word: "\\w",
  "^word": "\\W",
  xdigit: "0-9a-fA-F",
};

/** Translates PCRE syntax that differs from JavaScript: \A, \Z, \z, \Q…\E, (?P<name>…), (?P=name), [[:alpha:]]. */
function translate(pattern: string, isMultiline: boolean): string {
  const start = isMultiline ? "(?<![^])" : "^";
  const end = isMultiline ? "(?![^])" : "$";
  return pattern.replace(
    /\\Q([^]*?)(?:\\E|$)|\\[^]|\(\?P([<=])(\w+)[>)]|\[(?:\\[^]|\[:\^?\w+:\]|[^\]])*\]/g,
    (part, quoted: string | undefined, sign: string | undefined, name: string | undefined) => {
      if (quoted !== undefined) return quoted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
      if (sign !== undefined) return sign === "<" ? `(?<${name}>` : `\\k<${name}>`;
      if (part === "\\A") return start;
      if (part === "\\z") return end;
      if (part === "\\Z") return `(?=\\n?${end})`;
      if (!part.startsWith("[")) return part;
      return part.replaceAll(/\[:(\^?\w+):\]/g, (_, posix: string) => {
        const characters = POSIX_CLASSES[posix];
        if (characters === undefined)
          throw new CommandError("BadValue", `Regular expression is invalid: there is no class [:${posix}:]`);
        return characters;
      });
    },
  );
}

/**
 * Compiles a pattern with MongoDB's options i, m, s, x and u to a JavaScript RegExp.
 * @throws CommandError BadValue for an unknown option or an invalid pattern
 */
export function compileRegex(pattern: string, options: string): RegExp {
  const unknown = /[^imsxu]/.exec(options);
  if (unknown) throw new CommandError("BadValue", `invalid flag in regex options: ${unknown[0]}`);
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const flags = new Set(`${options}${inline?.[1] ?? ""}`.replace("x", "").replace("u", ""));
  const body = inline ? pattern.slice(inline[0].length) : pattern;
  const source = translate(options.includes("x") ? stripExtended(body) : body, flags.has("m"));
  try {
    return new RegExp(source, [...flags, "u"].join(""));
  } catch {
    try {
      return new RegExp(source, [...flags].join(""));
    } catch (error) {
      throw new CommandError("BadValue", `Regular expression is invalid: ${(error as Error).message}`);
    }
  }
}

export const toRegExp = (value: RegExp | BSONRegExp): RegExp =>
  value instanceof RegExp
    ? compileRegex(value.source, value.flags.replace(/[gydv]/g, ""))
    : compileRegex(value.pattern, value.options);

/** Time limit per text for patterns that need a backtracking engine. */
const BACKTRACKING_TIMEOUT_MS = 1000;

/**
 * Whether backtracking can take exponential or high polynomial time in the length of the text: the pattern repeats a group, or has
 * more than one repetition.
 */
function canBacktrack(source: string): boolean {
  const bare = source.replaceAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]])*\]/g, "x");
  return /\)(?:[*+]|\{\d+,)/.test(bare) || (bare.match(/[*+]|\{\d+,/g) ?? []).length > 1;
}

/** The same pattern on an engine with linear time; undefined if it doesn't support the pattern. */
function linear({ source, ignoreCase, multiline, dotAll }: RegExp): RE2JS | undefined {
  const flags =
    (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) |
    (multiline ? RE2JS.MULTILINE : 0) |
    (dotAll ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch {
    return undefined; // It has lookaround or backreferences.
  }
}

/**
 * Returns a test with bounded time.
 * @throws CommandError MaxTimeMSExpired, from the test, if a pattern with lookaround or backreferences takes too long
 */
export function textTest(regex: RegExp): (text: string) => boolean {
  if (!canBacktrack(regex.source)) return (text) => regex.test(text);
  const other = linear(regex);
  if (other) return (text) => other.test(text);
  const context: { regex: RegExp; text: string } = { regex, text: "" };
  vm.createContext(context);
  const script = new vm.Script("regex.test(text)");
  return (text) => {
    context.text = text;
    try {
      return Boolean(script.runInContext(context, { timeout: BACKTRACKING_TIMEOUT_MS }));
    } catch {
      throw new CommandError(
        "MaxTimeMSExpired",
        `The regular expression took longer than ${BACKTRACKING_TIMEOUT_MS} ms for one text: remove its lookaround and backreferences`,
      );
    }
  };
}

/** The literal text every match starts with ("^abc" without options gives "abc"), or undefined. */
export function literalPrefix(value: RegExp | BSONRegExp): string | undefined {
  const [pattern, options] =
    value instanceof RegExp ? [value.source, value.flags] : [value.pattern, value.options];
  if (options.replace("u", "") !== "" || !pattern.startsWith("^") || pattern.includes("|")) return undefined;
  const literal = /^\^((?:[^\\^$.*+?()[\]{}|/]|\\[-.@/_])+)/.exec(pattern)?.[1];
  if (literal === undefined) return undefined;
  const next = pattern[1 + literal.length];
  const sure = next !== undefined && "*?{".includes(next) ? literal.replace(/\\?.$/su, "") : literal;
  const prefix = sure.replaceAll("\\", "");
  return prefix === "" ? undefined : prefix;
}
