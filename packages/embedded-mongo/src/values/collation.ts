import type { evalExpr } from "mingo/core";
import { CommandError } from "../errors.ts";
import { collationKeys } from "./collation-key.ts";
import { integerOption } from "./numbers.ts";
import { isObject, type PlainObject } from "./types.ts";

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
