import type { BSONRegExp } from "bson";
import { CommandError } from "../errors.ts";
import { bsonType } from "../values/types.ts";

export const isRegex = (value: unknown): value is RegExp | BSONRegExp =>
  value instanceof RegExp || bsonType(value) === "BSONRegExp";

/** PCRE's `x`: white space and comments outside of character classes do not count. */
function stripExtended(pattern: string): string {
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]])*\]|\s+|#[^\n]*/g, (part) =>
    /^[\s#]/.test(part) ? "" : part,
  );
}

/**
 * A JavaScript RegExp for a pattern and MongoDB's options i, m, s, x and u.
 * @throws CommandError BadValue for an unknown option or a pattern that does not compile
 */
export function compileRegex(pattern: string, options: string): RegExp {
  const unknown = /[^imsxu]/.exec(options);
  if (unknown) throw new CommandError("BadValue", `invalid flag in regex options: ${unknown[0]}`);
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const flags = new Set(`${options}${inline?.[1] ?? ""}`.replace("x", "").replace("u", ""));
  const body = inline ? pattern.slice(inline[0].length) : pattern;
  const source = options.includes("x") ? stripExtended(body) : body;
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
