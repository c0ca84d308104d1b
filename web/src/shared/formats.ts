import { useTranslation } from "react-i18next";
import { localeOf } from "../i18n/language.ts";

/** Number formats of a language; `times.ts` has those of times. */
interface Formats {
  milliseconds: (value: number) => string;
  bytes: (value: number) => string;
  /** Compact, such as 12K. */
  number: (value: number) => string;
  /** In full, such as 12,345. */
  count: (value: number) => string;
  /** The two largest units, such as 3 days, 4 hr. */
  duration: (durationMs: number) => string;
  /** A whole number of one unit, such as 3 days. */
  wholeDuration: (durationMs: number) => string;
  /** Names in a sentence, such as A, B, and C. */
  names: (names: readonly string[]) => string;
  /** Alternatives, such as A, B or C. */
  either: (names: readonly string[]) => string;
  /** All of them, such as A, B, C. */
  list: (names: readonly string[]) => string;
}

const SECOND_MS = 1000;
const UNITS = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", SECOND_MS],
] as const;
const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

const known = new Map<string, Formats>();

/** Creating them is slow. */
export function formatsOf(language: string): Formats {
  const formats = known.get(language) ?? newFormats(language);
  known.set(language, formats);
  return formats;
}

function newFormats(language: string): Formats {
  const tag = localeOf(language);
  const unit = (name: string, options: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(tag, { style: "unit", unit: name, unitDisplay: "short", ...options });
  const fine = unit("millisecond", { maximumSignificantDigits: 2 });
  const coarse = unit("millisecond", { maximumFractionDigits: 0 });
  const seconds = unit("second", { maximumFractionDigits: 1 });
  const sizes = BYTE_UNITS.map((name, index) => {
    const unitDisplay = index === 0 ? "long" : "short";
    return {
      exact: unit(name, { unitDisplay, maximumFractionDigits: 1 }),
      rounded: unit(name, { unitDisplay, maximumFractionDigits: 0 }),
    };
  });
  const plain = new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: 1 });
  const whole = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 });
  const sentence = new Intl.ListFormat(tag);
  const either = new Intl.ListFormat(tag, { type: "disjunction" });
  const all = new Intl.ListFormat(tag, { style: "narrow" });
  const units = UNITS.slice(1).map(([name, sizeMs]) => ({ sizeMs, format: unit(name) }));
  return {
    milliseconds(value) {
      if (value >= 10 * SECOND_MS) return seconds.format(value / SECOND_MS);
      return (value < 10 ? fine : coarse).format(value);
    },
    bytes(value) {
      const index = Math.max(
        0,
        sizes.findLastIndex((_, power) => value >= 999.5 * 1000 ** (power - 1)),
      );
      const { exact, rounded } = sizes[index]!;
      const size = value / 1000 ** index;
      return (size < 10 ? exact : rounded).format(size);
    },
    number: (value) => plain.format(value),
    count: (value) => whole.format(value),
    names: (names) => sentence.format(names),
    either: (names) => either.format(names),
    list: (names) => all.format(names),
    duration(durationMs) {
      const largest = units.findIndex(({ sizeMs }) => durationMs >= sizeMs);
      if (largest < 0) return units.at(-1)!.format.format(0);
      const [first, second] = units.slice(largest, largest + 2);
      const parts = [first!.format.format(Math.floor(durationMs / first!.sizeMs))];
      const rest = Math.floor((durationMs % first!.sizeMs) / (second?.sizeMs ?? Infinity));
      if (second !== undefined && rest > 0) parts.push(second.format.format(rest));
      return new Intl.ListFormat(tag, { type: "unit", style: "short" }).format(parts);
    },
    wholeDuration(durationMs) {
      const [name, sizeMs] = UNITS.find(([, ms]) => durationMs % ms === 0)!;
      return unit(name, { unitDisplay: "long" }).format(durationMs / sizeMs);
    },
  };
}

export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return formatsOf(i18n.language);
}

/** In CSS. */
export const colorText = (color: number): string => `#${color.toString(16).padStart(6, "0")}`;

/** The words of a text field with one per line, without empty lines and duplicates. */
export function wordsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((word) => word !== "");
}

/** Facts in one line, without missing and empty ones. */
export function dotted(facts: readonly (string | false | null | undefined)[]): string {
  return facts.filter((fact) => typeof fact === "string" && fact !== "").join(" · ");
}
