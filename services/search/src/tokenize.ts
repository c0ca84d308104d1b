import { matchesLongerWords, partsOfSearch, stemOf, WORD } from "@fanfare/contract/search-words";
import { type Message, type ParsedParams, textOf, urlsOf } from "@fanfare/contract";
import { TOKENS_PER_MESSAGE, WORD_MAX_CHARS, WORDS_PER_SEARCH } from "./constants.ts";

/** Scripts without spaces: every two adjacent characters form a token. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

interface Word {
  word: string;
  unspaced: boolean;
}

function words(text: string): Iterable<Word> {
  // Without normalization, which takes a fifth of the time.
  return ASCII.test(text) ? asciiWords(text) : anyWords(text);
}

function asciiWords(text: string): Word[] {
  return (text.toLowerCase().match(ASCII_WORD) ?? []).map((word) => ({ word, unspaced: false }));
}

/** Ignores width, ligatures and case. */
function* anyWords(text: string): Generator<Word> {
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    let end = 0;
    for (const { 0: part, index } of run.matchAll(UNSPACED)) {
      if (index > end) yield { word: run.slice(end, index), unspaced: false };
      yield { word: part, unspaced: true };
      end = index + part.length;
    }
    if (end < run.length) yield { word: run.slice(end), unspaced: false };
  }
}

const clipped = (word: string): string =>
  word.length <= WORD_MAX_CHARS ? word : Array.from(word.slice(0, WORD_MAX_CHARS)).join("");

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, i) => characters[i]! + character);
}

/** Words don't contain a tilde, so stems never collide with words. */
const stemToken = (stem: string): string => `~${stem}`;

function wordTokens(word: string): string[] {
  const stem = stemOf(word);
  return stem === null || stem === word ? [word] : [word, stemToken(stem)];
}

/**
 * The tokens of a text: words and their English stems; for scripts without spaces, each character and each pair of adjacent ones.
 * At most TOKENS_PER_MESSAGE.
 */
export function textTokens(text: string): string[] {
  const tokens = new Set<string>();
  for (const { word, unspaced } of words(text)) {
    const characters = unspaced ? Array.from(word) : [];
    for (const token of unspaced ? [...characters, ...pairs(characters)] : wordTokens(clipped(word))) {
      if (tokens.size >= TOKENS_PER_MESSAGE) return [...tokens];
      tokens.add(token);
    }
  }
  return [...tokens];
}

/** A message matches if it has one of the tokens, or a token that starts with the prefix. */
export interface SearchWord {
  tokens: readonly string[];
  prefix?: string;
}

export function matches({ tokens, prefix }: SearchWord, ofMessage: readonly string[]): boolean {
  return ofMessage.some(
    (token) => tokens.includes(token) || (prefix !== undefined && token.startsWith(prefix)),
  );
}

/** An unquoted word. */
function looseWord(word: string): SearchWord {
  const stem = stemOf(word);
  const tokens = stem === null ? [word] : [stem, stemToken(stem)];
  if (!matchesLongerWords(word)) return { tokens };
  // Tokens that start with the prefix need no separate query.
  return { tokens: tokens.filter((token) => !token.startsWith(word)), prefix: word };
}

/** The words of a query, those expected to be rarest first: the longest. */
export function queryWords(text: string): SearchWord[] {
  const found = new Map<string, SearchWord>();
  for (const { part, isQuoted } of partsOfSearch(text)) {
    for (const { word, unspaced } of words(part)) {
      const characters = unspaced ? Array.from(word) : [];
      if (characters.length > 1) for (const pair of pairs(characters)) found.set(pair, { tokens: [pair] });
      else {
        const wanted = clipped(word);
        found.set(wanted, unspaced || isQuoted ? { tokens: [wanted] } : looseWord(wanted));
      }
    }
  }
  return [...found]
    .sort(([a], [b]) => b.length - a.length)
    .slice(0, WORDS_PER_SEARCH)
    .map(([, word]) => word);
}

type Trait = ParsedParams<"message.search">["has"][number];

/** Begin with a colon, so that neither a word nor the beginning of one finds them. */
const trait = {
  from: (userId: string) => `:from:${userId}`,
  mentions: (userId: string) => `:mentions:${userId}`,
  has: (name: Trait) => `:has:${name}`,
  in: (threadId: string) => `:in:${threadId}`,
};

const IMAGE = /^image\//;
const MEDIA = /^(?:audio|video)\//;
const LINK = /https?:\/\/\S/i;

/** The token of all messages of a thread, which are stored among those of its parent. */
export const threadToken = trait.in;

/** All tokens of a message. */
export function messageTokens(message: Message, isInThread: boolean): string[] {
  const files = message.attachments ?? [];
  const hasType = (pattern: RegExp) => files.some(({ contentType }) => pattern.test(contentType));
  const has: Record<Trait, boolean> = {
    link: LINK.test(textOf(message)) || urlsOf(message.cards ?? [], message.controls ?? []).length > 0,
    attachment: files.length > 0,
    image: hasType(IMAGE),
    media: hasType(MEDIA),
    document: files.some(({ contentType }) => !IMAGE.test(contentType) && !MEDIA.test(contentType)),
    embed: message.embeds !== undefined,
    pin: message.pinnedAt !== undefined,
  };
  const names = files.map(({ name }) => name);
  return [
    ...(isInThread ? [trait.in(message.channelId)] : []),
    trait.from(message.authorId),
    ...(message.mentions?.userIds.map(trait.mentions) ?? []),
    ...(Object.keys(has) as Trait[]).filter((name) => has[name]).map(trait.has),
    ...textTokens([textOf(message), ...names, ...(message.poll?.options ?? [])].join(" ")),
  ];
}

/** The words and traits that a message must match, those expected to be rarest first. */
export function wantedWords(
  { text = "", from, mentions, has }: ParsedParams<"message.search">,
  threadId: string | null,
): SearchWord[] {
  const traits = (...tokens: string[]): SearchWord[] => tokens.map((token) => ({ tokens: [token] }));
  return [
    ...(threadId === null ? [] : traits(trait.in(threadId))),
    ...queryWords(text),
    ...(mentions === undefined ? [] : traits(trait.mentions(mentions))),
    ...traits(...[...new Set(has)].map(trait.has)),
    ...(from === undefined ? [] : traits(trait.from(from))),
  ];
}
