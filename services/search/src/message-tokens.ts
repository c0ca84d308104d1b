import { type Message, type ParsedParams, textOf, urlsOf } from "@fanfare/contract";
import { queryWords, textTokens, type SearchWord } from "./tokenize.ts";

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
