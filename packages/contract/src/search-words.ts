import { stemmer } from "stemmer";

/*
 * Matches the words of a search against a message, for search on the server and highlighting in the client. All words are in lower case.
 */

/** Letters, digits and marks; everything else separates words. */
export const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Shorter words don't match longer words that begin with them: "the" would match half of all messages. */
const PREFIX_MIN_CHARS = 4;
/** Korean words consist of few characters, and particles are appended to them. */
const PREFIX_MIN_HANGUL = 2;

const ENGLISH = /^[a-z]{3,}$/;
const HANGUL = /^\p{Script=Hangul}/u;

/** The stem of an English word, such as "build" for "builds" and "building" (Porter); null for other words. */
export function stemOf(word: string): string | null {
  return ENGLISH.test(word) ? stemmer(word) : null;
}

/** Whether a word of a search also matches longer words that begin with it. */
export function matchesLongerWords(word: string): boolean {
  return Array.from(word).length >= (HANGUL.test(word) ? PREFIX_MIN_HANGUL : PREFIX_MIN_CHARS);
}

/** The parts of a search in double quotes, whose words match exactly, and those between them. */
export function partsOfSearch(text: string): { part: string; isQuoted: boolean }[] {
  const parts = text.replaceAll(/[“”„]/g, '"').split('"');
  // An unmatched quote is an ordinary character.
  const last = parts.length - 1;
  return parts.map((part, i) => ({ part, isQuoted: i % 2 === 1 && i < last }));
}
