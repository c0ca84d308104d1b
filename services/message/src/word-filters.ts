import type { Services } from "@fanfare/contract";
import { type Access, serviceError } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { KNOWN_WORD_FILTERS } from "./bounds.ts";

interface Known {
  rev: number;
  find: (text: string) => Hit[];
  isMasking: boolean;
}

/**
 * What groups do not want to be written. Access says which rev of the filter holds for whom, and is forgotten everywhere when it
 * changes, so what is remembered here is never too old.
 */
export class WordFilters {
  readonly #services: Services;
  readonly #known = new LRUCache<string, Known>({ max: KNOWN_WORD_FILTERS });

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * @returns the text as it may be written
   * @throws {ServiceError} MESSAGE_FILTERED
   */
  async apply({ groupId, wordFilterRev }: Access, content: string): Promise<string> {
    if (wordFilterRev === undefined || groupId === null) return content;
    const known = this.#known.get(groupId);
    const filter = known !== undefined && known.rev >= wordFilterRev ? known : await this.#read(groupId);
    const hits = filter.find(content);
    if (hits.length === 0) return content;
    if (!filter.isMasking) throw serviceError("MESSAGE_FILTERED");
    return maskHits(content, hits);
  }

  async #read(groupId: string): Promise<Known> {
    const { wordFilter, rev } = await this.#services.group.readWordFilter({ groupId });
    const read = { rev, find: compileWords(wordFilter.words), isMasking: wordFilter.onHit === "mask" };
    this.#known.set(groupId, read);
    return read;
  }
}

/** Where a text has a word, as places of its UTF-16 code units. */
interface Hit {
  from: number;
  to: number;
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Scripts that put no spaces between words: there a word is found inside of others. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PART_OF_WORD = /[\p{L}\p{N}\p{M}_]/u;

/** One character as it is compared: compatibility forms, capitals and invisible characters make no difference. */
function fold(grapheme: string): string {
  if (/^\s+$/.test(grapheme)) return " ";
  return grapheme.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replaceAll(INVISIBLE, "");
}

interface Folded {
  text: string;
  /** For each code unit of `text`, and its end: where it comes from. */
  origins: Hit[];
  starts: (number | undefined)[];
}

function foldText(text: string): Folded {
  let folded = "";
  const origins: Hit[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const piece = fold(segment);
    // Any number of spaces and line ends is one space.
    if (piece === " " && folded.endsWith(" ")) continue;
    folded += piece;
    for (let n = 0; n < piece.length; n++) origins.push({ from: index, to: index + segment.length });
  }
  return { text: folded, origins, starts: startsIn(folded) };
}

/**
 * Looks for words and phrases in texts. A word counts where no letter, digit or mark stands beside it, but in scripts
 * without spaces everywhere. The time is that of looking for each word once; no expression of a user is run.
 */
export function compileWords(words: readonly string[]): (text: string) => Hit[] {
  const wanted = [...new Set(words.map((word) => foldText(word).text.trim()))].filter((word) => word !== "");
  return (text) => {
    const folded = foldText(text);
    return wanted.flatMap((word) => [...hitsOf(word, folded)]);
  };
}

function* hitsOf(word: string, { text, origins, starts }: Folded): Generator<Hit> {
  const opensInside = isFreeBeside(firstOf(word));
  const endsInside = isFreeBeside(lastOf(word));
  let at = text.indexOf(word);
  while (at !== -1) {
    const end = at + word.length;
    const opens = opensInside || starts[at] === at;
    const ends = endsInside || end === text.length || !PART_OF_WORD.test(firstOf(text.slice(end, end + 2)));
    if (opens && ends) yield { from: origins[at]!.from, to: origins[end - 1]!.to };
    // Within one long word it is looked for once.
    const next = opensInside ? at + 1 : starts[at + 1];
    at = next === undefined ? -1 : text.indexOf(word, next);
  }
}

/** For each place the next one, itself included, where a word may begin. */
function startsIn(text: string): (number | undefined)[] {
  const starts: (number | undefined)[] = [];
  let next: number | undefined;
  for (let at = text.length - 1; at >= 0; at--) {
    const isInside = at > 0 && PART_OF_WORD.test(lastOf(text.slice(Math.max(0, at - 2), at)));
    if (!isInside) next = at;
    starts[at] = next;
  }
  return starts;
}

const isFreeBeside = (character: string): boolean =>
  UNSPACED.test(character) || !PART_OF_WORD.test(character);

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0)!);

function lastOf(text: string): string {
  const low = text.charCodeAt(text.length - 1);
  const isPair = low >= 0xdc_00 && low <= 0xdf_ff && text.length > 1;
  return text.slice(isPair ? -2 : -1);
}

const DOT = "•";

/** Puts a dot in the place of each character of the hits; spaces stay, and what is invisible goes. */
export function maskHits(text: string, hits: readonly Hit[]): string {
  const isHit = new Uint8Array(text.length);
  for (const { from, to } of hits) isHit.fill(1, from, to);
  let masked = "";
  for (const { segment, index } of graphemes.segment(text)) {
    const isShown = isHit[index] === 0 || /^\s+$/.test(segment);
    if (isShown) masked += segment;
    else if (fold(segment) !== "") masked += DOT;
  }
  return masked;
}
