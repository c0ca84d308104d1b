import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCollation } from "./collation.ts";

const LOCALES = ["en", "de", "sv", "cs", "tr", "lt", "vi", "ja", "ko", "zh", "th", "ar", "hi"];

/** Letters with accents, ligatures, contractions, other scripts, digits and ignorable characters. */
const PARTS =
  "a A á Á à â ä å ą Å z Z e é E é ss ß SS æ AE œ ﬁ fi ø o O ö i I İ ı ch Ch h c dz lj Ǉ ñ n ĳ ij ŉ 1 2 10 ½ ² ① Ａ ａ _ - @ . · ´ か カ が ガ ゕ ㌀ 한 글 ᄒ 北 京 丁 เก แก ไ ก ำ ա եւ և Σ σ ς я Я ё Е ा क्ष ال ﷲ א ש 😀 😁 \u0000 \u0001 \u00ad \u0301 \u0323 \u200b \u200d \ufeff \uffff \u{10ffff}".split(
    " ",
  );

const text = fc
  .array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: "grapheme", maxLength: 1 })), { maxLength: 5 })
  .map((parts) => parts.join(""));

/** Strings that are equal to the given one in some collation. */
const variantsOf = (given: string): string[] => [
  given,
  given.toUpperCase(),
  given.toLowerCase(),
  given.normalize("NFD"),
  given.normalize("NFKC"),
  given.normalize("NFKD").replace(/\p{M}/gu, ""),
  Array.from(given).join("\u00ad"),
  `${given}\u0000`,
];

const collations = LOCALES.flatMap((locale) => [
  { locale, strength: 1 },
  { locale, strength: 2 },
  { locale, strength: 3 },
  { locale, strength: 1, caseLevel: true },
  { locale, strength: 3, caseFirst: "upper" },
]);

describe.each(collations)("the keys of the collation %j", (specification) => {
  const { compare, keyOf } = parseCollation(specification)!;

  it("are equal for equal strings", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const sorted = texts.flatMap(variantsOf).sort(compare);
        const equal = sorted
          .slice(1)
          .flatMap((next, i) => (compare(sorted[i]!, next) === 0 ? [[sorted[i]!, next]] : []));
        expect(equal.filter(([one, other]) => keyOf(one!) !== keyOf(other!))).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("differ for almost all different words", () => {
    const names = Array.from({ length: 500 }, (_, i) => `user.${i}+${i % 7}@example.org`);
    expect(new Set(names.map(keyOf)).size).toBe(500);
    const ideographs = Array.from({ length: 500 }, (_, i) =>
      String.fromCodePoint(0x4e00 + i, 0x5e00 + 3 * i),
    );
    expect(new Set(ideographs.map(keyOf)).size).toBeGreaterThan(450);
  });
});
