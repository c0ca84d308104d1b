import type { Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useCallback, useEffect } from "react";
import { callWithEffects } from "./call.ts";
import type { ServerCache } from "./cache.ts";
import { useServerCache, type On } from "./data-context.ts";
import { useLive } from "./frames.ts";
import { Lookup, perCache, PerChannel } from "./lookup.ts";

const MAX_MESSAGES = 2000;

/** The user's reactions by message. A call covers one channel, so each channel has its own lookup. */
const ownReactionsOf = perCache(
  ({ client }) =>
    new PerChannel(
      (channelId) =>
        new Lookup<readonly string[]>({
          max: MAX_MESSAGES,
          perCall: LIMITS.pageMaxItems,
          async load(messageIds) {
            const { reactions } = await client.call("message.listOwnReactions", { channelId, messageIds });
            const own = new Map<string, string[]>(messageIds.map((id) => [id, []]));
            for (const { messageId, emoji } of reactions) own.get(messageId)?.push(emoji);
            return own;
          },
        }),
    ),
);

const NONE: readonly string[] = [];

/**
 * The emoji that the user has reacted with. Messages with few reactions include the users; for others a batched lookup is needed.
 */
export function useOwnReactions(message: Message): readonly string[] {
  const cache = useServerCache();
  const own = ownReactionsOf(cache).of(message.channelId);
  const isOpen = message.reactions?.some(({ count, userIds }) => count > userIds.length) === true;
  const existing = useLive(own, () => own.get(message.id));
  useEffect(() => {
    if (isOpen && existing === undefined) own.request(message.id);
  }, [own, isOpen, message.id, existing]);
  if (isOpen && existing !== undefined) return existing;
  const userId = cache.client.user?.id ?? "";
  return (
    message.reactions?.filter(({ userIds }) => userIds.includes(userId)).map(({ emoji }) => emoji) ?? NONE
  );
}

type Toggle = (
  message: Message,
  emoji: string,
  isOwn: boolean,
  /** The user's reactions that this one replaces. */
  replaced?: readonly string[],
) => Promise<void>;

/** Toggles a reaction. It is shown with the server's event; that it is the user's own can be known earlier. */
export function useToggleReaction(): Toggle {
  const cache = useServerCache();
  return useCallback(
    async ({ channelId, id: messageId }, emoji, isOwn, replaced = NONE) => {
      const own = ownReactionsOf(cache).of(channelId);
      await callWithEffects(cache)(isOwn ? "message.unreact" : "message.react", {
        channelId,
        messageId,
        emoji,
      });
      own.change(messageId, (before) => {
        const others = before.filter((each) => each !== emoji && !replaced.includes(each));
        return isOwn ? others : [...others, emoji];
      });
    },
    [cache],
  );
}

export function listenOwnReactions(cache: ServerCache, on: On): void {
  const { client } = cache;
  on("reaction.changed", ({ channelId, messageId, reactions }) => {
    const userId = client.user?.id ?? "";
    // Another tab of the user may have reacted.
    const isComplete = reactions.every(({ count, userIds }) => count === userIds.length);
    if (!isComplete) return;
    const own = reactions.filter(({ userIds }) => userIds.includes(userId)).map(({ emoji }) => emoji);
    ownReactionsOf(cache)
      .of(channelId)
      .change(messageId, () => own);
  });
}

/** After events may have been missed. */
export function refreshOwnReactions(cache: ServerCache): void {
  for (const own of ownReactionsOf(cache).all()) own.refresh();
}
