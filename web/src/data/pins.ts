import type { Message } from "@fanfare/contract";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { changed } from "./lookup.ts";
import type { On } from "./connection.ts";
import { withReactions } from "./reactions.ts";

/** The pinned messages of a channel, the last pinned first. */
export function usePins(channelId: string): UseQueryResult<Message[]> {
  const cache = useServerCache();
  return useQuery({
    ...cache.askWhole(
      "message.listPins",
      { channelId },
      { param: "skip", next: "nextSkip", list: "messages" },
    ),
    select: ({ messages }) => messages,
  });
}

export function listenPins(cache: ServerCache, on: On): void {
  on("message.changed", ({ message }) => hearMessage(cache, message));
  on("message.deleted", ({ message }) => hearMessage(cache, message));
  on("reaction.changed", ({ channelId, messageId, rev, reactions }) => {
    cache.patchList(
      "message.listPins",
      "messages",
      (messages) =>
        changed(
          messages,
          ({ id, rev: held }) => id === messageId && held < rev,
          (message) => withReactions(message, rev, reactions),
        ),
      { channelId },
    );
  });
}

function hearMessage(cache: ServerCache, message: Message): void {
  cache.patch(
    "message.listPins",
    ({ messages, ...rest }) => ({ ...rest, messages: pinsAfter(messages, message) }),
    {
      channelId: message.channelId,
    },
  );
}

/** The pins after a message has changed. */
export function pinsAfter(pins: readonly Message[], message: Message): Message[] {
  const held = pins.find(({ id }) => id === message.id);
  if (held !== undefined && held.rev > message.rev) return [...pins];
  const others = pins.filter(({ id }) => id !== message.id);
  if (message.pinnedAt === undefined || message.deletedAt !== null) return others;
  const pinnedAt = (pin: Message): string => pin.pinnedAt ?? "";
  return [...others, message].sort((a, b) => pinnedAt(b).localeCompare(pinnedAt(a)));
}

const answered = {
  after: (cache: ServerCache, _: unknown, { message }: { message: Message }) => hearMessage(cache, message),
};

export const pinEffects: Effects = { "message.pin": answered, "message.unpin": answered };
