import type { Message, ParsedParams } from "@fanfare/contract";
import { queryTokens, textTokens } from "./tokenize.ts";

type Trait = ParsedParams<"message.search">["has"][number];

/** Words have no colon, so these are never mistaken for one. */
const trait = {
  from: (userId: string) => `from:${userId}`,
  mentions: (userId: string) => `mentions:${userId}`,
  has: (name: Trait) => `has:${name}`,
};

const LINK = /https?:\/\/\S/i;

/** Everything that a message is found by. */
export function messageTokens(message: Message): string[] {
  const has: Record<Trait, boolean> = {
    link: LINK.test(message.content),
    attachment: message.attachments !== undefined,
    embed: message.embeds !== undefined,
    pin: message.pinnedAt !== undefined,
  };
  const names = message.attachments?.map(({ name }) => name) ?? [];
  return [
    trait.from(message.authorId),
    ...(message.mentions?.userIds.map(trait.mentions) ?? []),
    ...(Object.keys(has) as Trait[]).filter((name) => has[name]).map(trait.has),
    ...textTokens([message.content, ...names].join(" ")),
  ];
}

/** Everything that a message must be found by, the rarest by guess first. */
export function wantedTokens({ text = "", from, mentions, has }: ParsedParams<"message.search">): string[] {
  return [
    ...queryTokens(text),
    ...(mentions === undefined ? [] : [trait.mentions(mentions)]),
    ...[...new Set(has)].map(trait.has),
    ...(from === undefined ? [] : [trait.from(from)]),
  ];
}
