import { LIMITS } from "../limits.ts";

/** A single emoji as entered by keyboards, including joiners and tags. */
const EMOJI = /\p{RGI_Emoji}/gv;
/** Text and emoji presentation of a single character. */
const PRESENTATION = /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu;
/** Scripts in which a joiner or non-joiner between two letters changes the word: Persian می‌خواهم, Indic conjuncts. */
const JOINING =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}" +
  "\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}";
const JOINERS = new RegExp(`(?<=[${JOINING}]\\p{M}*)[\\u200c\\u200d](?=[${JOINING}])`, "gu");
/** Variants of Han characters in Japanese names, and of Mongolian letters. */
const VARIANTS = /(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]/gu;

/** Invisible characters, including the braille blank and annotation anchors. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;
const STACKED_MARKS = new RegExp(`[\\p{Mn}\\p{Me}]{${LIMITS.marksPerCharacter + 1}}`, "u");
const WORD = /[\p{L}\p{M}]+/gu;
/** Scripts with similar letters; a word that mixes them can imitate another one. */
const LOOKALIKE_SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
/** Names that would read like a mention of many people. */
const MASS_MENTION = /^(?:@\s*(?:all|channel|everyone|here)|everyone|here)$/u;

/** Whether a name has invisible characters, other than those required by emoji and scripts. */
export function hasInvisible(name: string): boolean {
  const rest = name
    .replaceAll(EMOJI, " ")
    .replaceAll(PRESENTATION, "")
    .replaceAll(JOINERS, "")
    .replaceAll(VARIANTS, "");
  return INVISIBLE.test(rest);
}

export function hasStackedMarks(name: string): boolean {
  return STACKED_MARKS.test(name.normalize("NFC"));
}

/** Whether a word mixes Latin, Cyrillic and Greek letters, as in "аdmin" with a Cyrillic "а". */
export function mixesScripts(name: string): boolean {
  return [...name.matchAll(WORD)].some(
    ([word]) => LOOKALIKE_SCRIPTS.filter((script) => script.test(word)).length > 1,
  );
}

export function readsLikeMassMention(name: string): boolean {
  return MASS_MENTION.test(name.normalize("NFKC").trim().toLowerCase());
}
