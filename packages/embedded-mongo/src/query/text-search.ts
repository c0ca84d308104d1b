import { isPauseDue, PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { normalizeText, type TextIndex, words } from "../index/text-index.ts";
import type { Collection } from "../storage/collection.ts";
import type { StoredRecord } from "../storage/database.ts";
import { isObject, type PlainObject } from "../values/types.ts";

/** The scores of the documents that match a `$text` search, by order. */
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

/**
 * The documents that match `{ $text: { $search } }`: any of the words, all "phrases", and none of the -excluded words.
 * @param scores filled before the first document is returned
 */
export function* searchText(
  collection: Collection,
  index: TextIndex,
  operand: unknown,
  scores: TextScores,
): Generator<StoredRecord | typeof PAUSE> {
  if (!isObject(operand) || typeof operand["$search"] !== "string") {
    throw new CommandError("TypeMismatch", "$text needs a string $search");
  }
  const search = parseSearch(operand["$search"]);
  for (const term of new Set(search.terms)) {
    for (const entry of index.posting(term)) {
      if (entry === PAUSE) yield PAUSE;
      else scores.set(entry[0], (scores.get(entry[0]) ?? 0) + entry[1]);
    }
  }
  for (const term of search.excluded) {
    for (const entry of index.posting(term)) {
      if (entry === PAUSE) yield PAUSE;
      else scores.delete(entry[0]);
    }
  }
  const hasPhrases = search.phrases.length + search.excludedPhrases.length > 0;
  for (const order of scores.keys()) {
    const record = collection.get(order);
    if (record && (!hasPhrases || matchesPhrases(index, collection.document(record), search))) yield record;
    if (isPauseDue()) yield PAUSE;
  }
}

function matchesPhrases(index: TextIndex, document: PlainObject, search: ParsedSearch): boolean {
  const normalized = index.texts(document).map(({ text }) => normalizeText(text));
  const has = (phrase: string) => normalized.some((text) => text.includes(phrase));
  return search.phrases.every(has) && !search.excludedPhrases.some(has);
}
