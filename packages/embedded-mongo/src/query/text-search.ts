import { CommandError } from "../errors.ts";
import { normalizeText, type TextIndex, words } from "../index/text-index.ts";
import type { StoredRecord } from "../storage/record.ts";
import { isObject, type PlainObject } from "../values/types.ts";

/** Documents that match a `$text` search, with their score. */
export type TextScores = Map<StoredRecord, number>;

interface ParsedSearch {
  terms: string[];
  phrases: string[];
  excluded: string[];
  excludedPhrases: string[];
}

function parseSearch(search: string): ParsedSearch {
  const parsed: ParsedSearch = { terms: [], phrases: [], excluded: [], excludedPhrases: [] };
  for (const match of search.matchAll(/(-?)"([^"]*)"|(\S+)/g)) {
    const [, minus, phrase, bare] = match;
    if (phrase !== undefined) {
      if (minus) parsed.excludedPhrases.push(normalizeText(phrase));
      else {
        parsed.phrases.push(normalizeText(phrase));
        parsed.terms.push(...words(phrase));
      }
    } else if (bare?.startsWith("-") && bare.length > 1) parsed.excluded.push(...words(bare));
    else parsed.terms.push(...words(bare ?? ""));
  }
  return parsed;
}

/**
 * Runs `{ $text: { $search } }`: any of the words, all of the "phrases", none of the -excluded ones.
 * @param decode gives the document of a record
 */
export function searchText(
  index: TextIndex,
  operand: unknown,
  decode: (record: StoredRecord) => PlainObject,
): TextScores {
  if (!isObject(operand) || typeof operand["$search"] !== "string") {
    throw new CommandError("TypeMismatch", "$text needs a string $search");
  }
  const search = parseSearch(operand["$search"]);
  const scores: TextScores = new Map();
  for (const term of new Set(search.terms)) {
    for (const [record, score] of index.posting(term) ?? [])
      scores.set(record, (scores.get(record) ?? 0) + score);
  }
  for (const term of search.excluded)
    for (const record of index.posting(term)?.keys() ?? []) scores.delete(record);
  if (search.phrases.length + search.excludedPhrases.length > 0) {
    for (const record of scores.keys()) {
      const texts = index.texts(decode(record)).map(({ text }) => normalizeText(text));
      const has = (phrase: string) => texts.some((text) => text.includes(phrase));
      if (!search.phrases.every(has) || search.excludedPhrases.some(has)) scores.delete(record);
    }
  }
  return scores;
}
