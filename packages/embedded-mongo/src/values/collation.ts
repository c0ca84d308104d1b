import type { evalExpr } from "mingo/core";
import { CommandError } from "../errors.ts";
import { integerOption } from "./numbers.ts";
import { isObject, type PlainObject } from "./types.ts";

type Compare = (a: string, b: string) => number;

/** Blocks whose characters are pivots. Hangul syllables consist of letters that are pivots; other characters share keys. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x33ff],
  [0x4e00, 0xabff],
  [0x1f300, 0x1faff],
];

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S} ]/u;

/** Limits the length of a key and the time to compute it. */
const MAX_STEPS = 64;

interface Pivots {
  /** Characters in ascending order. */
  readonly characters: readonly string[];
  /** Positions of the ASCII characters, which are tried first. */
  readonly ascii: readonly number[];
}

function pivotsOf(compare: Compare, letters: Compare): Pivots {
  const candidates: string[] = [];
  for (const [first, last] of BLOCKS) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      if (VISIBLE.test(character)) candidates.push(character);
    }
  }
  const characters: string[] = [];
  // Lowercase first, so that the spelling of most texts equals the text.
  const last = candidates.sort((a, b) => letters(a, b) || compare(a, b)).at(-1)!;
  let covered = "";
  for (const character of candidates) {
    // Ligatures and the like sort between strings that start with another pivot.
    if (letters(character, covered) <= 0) continue;
    characters.push(character);
    covered = character + last;
  }
  return { characters, ascii: [...characters.keys()].filter((i) => characters[i]! < "\x80") };
}

/**
 * Computes index keys of strings. Equal strings have equal keys, because a key depends only on comparisons of the string with others.
 * Different strings can have the same key, such as strings that differ only in accents or case. The keys are not ordered.
 * @param letters compares letters only
 */
function collationKeys(compare: Compare, letters: Compare): (text: string) => string {
  let pivots: Pivots | undefined;
  return (text) => collationKey(text, (pivots ??= pivotsOf(compare, letters)), compare);
}

/** Approximates the text: each character is the greatest one with which the spelling doesn't sort after the text. */
function collationKey(text: string, { characters, ascii }: Pivots, compare: Compare): string {
  let spelled = "";
  let key = "";
  for (let step = 0; step < MAX_STEPS && compare(spelled, text) !== 0; step++) {
    const fits = (i: number) => compare(spelled + characters[i]!, text) <= 0;
    const near = lastThat(-1, ascii.length, (i) => fits(ascii[i]!));
    const after = ascii[near + 1] ?? characters.length;
    const position = near < 0 ? -1 : ascii[near]!;
    const found = position + 1 < after && fits(position + 1) ? lastThat(position + 1, after, fits) : position;
    if (found < 0) break;
    key += String.fromCharCode(1 + Math.floor(found / 255), 1 + (found % 255));
    // The text continues with a character that isn't a pivot.
    if (found === characters.length - 1) break;
    spelled += characters[found]!;
  }
  return `${key}\0`;
}

/** Binary search for the last position below `end` that passes, if all up to it pass; `start` counts as passed. */
function lastThat(start: number, end: number, passes: (position: number) => boolean): number {
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** In the form that mingo passes from stage to stage. */
type CollationSpec = NonNullable<Parameters<typeof evalExpr>[2]["collation"]>;

/** How a command compares strings; undefined: by their UTF-8 bytes (the locale "simple"). */
export interface Collation extends CollationSpec {
  readonly compare: (a: string, b: string) => number;
  /** Equal strings have equal keys, but strings with equal keys can differ. The keys are not ordered. */
  readonly keyOf: (text: string) => string;
  /** The specification with all options, as in `listIndexes`. */
  readonly definition: PlainObject;
}

/** Keys of different versions are not comparable. */
export const COLLATION_VERSION = `${process.versions["icu"]}/${process.versions["cldr"]}`;

export const sameCollation = (a: Collation | undefined, b: Collation | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && JSON.stringify(a.definition) === JSON.stringify(b.definition));

/** Options whose given values don't affect the comparison of whole strings. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  alternate: "non-ignorable",
  backwards: false,
  maxVariable: "punct",
  normalization: false,
};

const SENSITIVITIES = ["base", "accent", "variant"] as const;

/** Cached, because creating a collation takes longer than most commands. */
const known = new Map<string, Collation>();
const MAX_KNOWN = 100;

/**
 * Parses the `collation` option of a command. Strings are compared by `Intl.Collator`, which uses ICU like MongoDB.
 * @throws {CommandError} FailedToParse, BadValue, or InvalidOptions for unsupported options
 */
export function parseCollation(raw: unknown): Collation | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (!isObject(raw)) throw new CommandError("TypeMismatch", "BSON field 'collation' must be an object");
  const key = JSON.stringify(raw);
  const found = known.get(key);
  if (found) return found;
  const { locale, strength, caseLevel, caseFirst, numericOrdering, version: _, ...others } = raw;
  if (typeof locale !== "string") throw new CommandError("FailedToParse", "A collation needs a locale");
  if (locale === "simple") return undefined;
  for (const [option, value] of Object.entries(others))
    if (DEFAULTS[option] !== value) throw unsupported(`${option}: ${String(value)}`);
  const level = integerOption(strength, "strength", 3);
  if (level !== 1 && level !== 2 && level !== 3) throw unsupported(`strength ${level}`);
  if (caseLevel === true && level !== 1) throw unsupported(`caseLevel with strength ${level}`);
  const sensitivity = caseLevel === true ? "case" : SENSITIVITIES[level - 1]!;
  const numeric = numericOrdering === true;
  const first = caseFirst === "upper" || caseFirst === "lower" ? caseFirst : undefined;
  const { compare } = collator(locale, { sensitivity, numeric, caseFirst: first ?? "false" });
  const letters = collator(locale, { sensitivity: "base" }).compare;
  const definition = {
    locale,
    caseLevel: caseLevel === true,
    caseFirst: first ?? "off",
    strength: level,
    numericOrdering: numeric,
    ...DEFAULTS,
    version: COLLATION_VERSION,
  };
  const collation: Collation = {
    ...(raw as unknown as CollationSpec),
    compare,
    keyOf: collationKeys(compare, letters),
    definition,
  };
  if (known.size < MAX_KNOWN) known.set(key, collation);
  return collation;
}

function collator(locale: string, options: Intl.CollatorOptions): Intl.Collator {
  const tag = locale.replaceAll("_", "-");
  let isKnown = false;
  try {
    isKnown = Intl.Collator.supportedLocalesOf(tag).length > 0;
  } catch {
    // Not a valid locale.
  }
  if (!isKnown) throw new CommandError("BadValue", `Field 'locale' is invalid in: { locale: "${locale}" }`);
  return new Intl.Collator(tag, options);
}

const unsupported = (what: string) =>
  new CommandError("InvalidOptions", `The embedded database has no collation with ${what}`);
