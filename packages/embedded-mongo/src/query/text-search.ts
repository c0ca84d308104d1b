import { CommandError } from "../errors.ts";
import { normalizeText, type TextIndex, words } from "../index/text-index.ts";
import type { Collection } from "../storage/collection.ts";
import { isObject } from "../values/types.ts";

/** Scores of the documents that match a `$text` search, by order. */
export type TextScores = Map<number, number>;

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

/** Runs `{ $text: { $search } }`: any of the words, all of the "phrases", none of the -excluded ones. */
export function searchText(collection: Collection, index: TextIndex, operand: unknown): TextScores {
  if (!isObject(operand) || typeof operand["$search"] !== "string") {
    throw new CommandError("TypeMismatch", "$text needs a string $search");
  }
  const search = parseSearch(operand["$search"]);
  const scores: TextScores = new Map();
  for (const term of new Set(search.terms)) {
    for (const [order, score] of index.posting(term)) scores.set(order, (scores.get(order) ?? 0) + score);
  }
  for (const term of search.excluded) for (const [order] of index.posting(term)) scores.delete(order);
  if (search.phrases.length + search.excludedPhrases.length > 0) {
    for (const order of scores.keys()) {
      const record = collection.get(order);
      const texts = record ? index.texts(collection.document(record)) : [];
      const normalized = texts.map(({ text }) => normalizeText(text));
      const has = (phrase: string) => normalized.some((text) => text.includes(phrase));
      if (!search.phrases.every(has) || search.excludedPhrases.some(has)) scores.delete(order);
    }
  }
  return scores;
}
