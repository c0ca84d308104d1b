import { LIMITS, type Reaction, type Services } from "@fanfare/contract";
import { POLL_EMOJI } from "@fanfare/contract/limits";
import { assertBelow, type Handlers, limitReached, serviceError } from "@fanfare/kernel";
import { REACTION_CHANGES, REMOVALS_PER_BATCH } from "../constants.ts";
import type { GroupCommit } from "../commit/group-commit.ts";
import type { MessageDocument } from "../message.model.ts";
import type { MessageDependencies } from "../message.dependencies.ts";
import { changeMessage } from "../change.ts";
import { hasEnded } from "../message.policy.ts";
import type { MessageRepository } from "../message.repository.ts";
import type { ReactionRepository } from "./reaction.repository.ts";

interface CountingParts {
  commit: GroupCommit;
  changing: Map<string, Promise<unknown>>;
  messages: MessageRepository;
  reactions: ReactionRepository;
  /** The rooms of a channel for a user who can see it. */
  roomsFor: (userId: string, channelId: string) => Promise<readonly string[]>;
}

export const reactActions = ({ messages, reactions, reactionCounter }: MessageDependencies): Handlers => ({
  "message.react": async ({ params: { channelId, messageId, emoji }, actor, access, services }) => {
    const message = await existing(messages, channelId, messageId);
    await requireEmoji(services, access.groupId, emoji);
    if (message.revs.length >= REACTION_CHANGES) throw limitReached("changesPerMessage");
    if (message.reactions?.some((reaction) => reaction.emoji === emoji) !== true) {
      const emojis = await reactions.emojis(messageId, LIMITS.reactionsPerMessage);
      if (!emojis.includes(emoji)) assertBelow("reactionsPerMessage", emojis.length);
    }
    const { userId } = actor;
    const votes = votesFor(message, emoji);
    await reactionCounter.change(channelId, messageId, access.rooms, async () => {
      await reactions.add({ channelId, messageId, emoji, userId });
      if (message.poll?.allowsSeveral === false && votes.length > 0)
        await reactions.removeOf(
          messageId,
          userId,
          votes.filter((vote) => vote !== emoji),
        );
    });
    return {};
  },

  "message.unreact": async ({ params: { channelId, messageId, emoji }, actor: { userId }, access }) => {
    votesFor(await existing(messages, channelId, messageId), emoji);
    await reactionCounter.change(channelId, messageId, access.rooms, () =>
      reactions.remove({ channelId, messageId, emoji, userId }),
    );
    return {};
  },

  "message.listReactors": async ({ params: { channelId, messageId, emoji, afterUserId, limit } }) => {
    await existing(messages, channelId, messageId);
    const userIds = await reactions.users(messageId, emoji, afterUserId, limit);
    return { userIds, nextUserId: userIds.length < limit ? null : userIds.at(-1)! };
  },

  "message.listOwnReactions": async ({ params: { channelId, messageIds }, actor }) => {
    const found = await reactions.ofUser(actor.userId, messageIds);
    const here = found.filter((reaction) => reaction.channelId === channelId);
    return { reactions: here.map(({ messageId, emoji }) => ({ messageId, emoji })) };
  },
});

/**
 * The emoji of a poll's options if the given one is among them; otherwise none.
 * @throws {ServiceError} POLL_ENDED
 */
function votesFor({ poll }: MessageDocument, emoji: string): readonly string[] {
  const votes: readonly string[] = POLL_EMOJI.slice(0, poll?.options.length ?? 0);
  if (poll === undefined || !votes.includes(emoji)) return [];
  if (hasEnded(poll)) throw serviceError("POLL_ENDED");
  return votes;
}

/** Checks an emoji like `:parrot:`, which has to be one of the group's own. */
async function requireEmoji(services: Services, groupId: string | null, emoji: string): Promise<void> {
  if (!emoji.startsWith(":")) return;
  const isKnown =
    groupId !== null && (await services.emoji.exists({ groupId, name: emoji.slice(1, -1) })).exists;
  if (!isKnown) throw serviceError("EMOJI_NOT_FOUND");
}

async function existing(
  messages: MessageDependencies["messages"],
  channelId: string,
  messageId: string,
): Promise<MessageDocument> {
  const message = await messages.find(channelId, messageId);
  if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
  return message;
}

/** Updates the reactions shown on a message, or removes them when it is deleted. @returns its number of changes */
export async function countReactions(
  dependencies: CountingParts,
  channelId: string,
  messageId: string,
  rooms: readonly string[] | null,
): Promise<number> {
  const { messages, reactions, roomsFor } = dependencies;
  const message = await messages.find(channelId, messageId);
  if (message === null || message.deletedAt !== null) {
    while ((await reactions.deleteSomeOf(messageId, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH);
    return 0;
  }
  const announce = "reaction.changed";
  const receivers = rooms ?? (await roomsFor(message.authorId.toHexString(), channelId));
  await changeMessage(dependencies, { channelId, messageId, rooms: receivers, announce }, async (before) => {
    if (before.revs.length >= REACTION_CHANGES) return null;
    // Counted after reading the message: if another worker stores a newer count meanwhile, this one is rejected and repeated.
    const counted = await countAll(reactions, before);
    const isSame = JSON.stringify(counted) === JSON.stringify(before.reactions ?? []);
    return isSame ? null : { reactions: counted.length === 0 ? undefined : counted };
  });
  return message.revs.length + 1;
}

/** Existing reactions keep their order. */
async function countAll(
  reactions: ReactionRepository,
  { _id, reactions: shown = [] }: MessageDocument,
): Promise<Reaction[]> {
  const messageId = _id.toHexString();
  const now = await reactions.emojis(messageId, LIMITS.reactionsPerMessage);
  const known = shown.map(({ emoji }) => emoji).filter((emoji) => now.includes(emoji));
  const order = [...known, ...now.filter((emoji) => !known.includes(emoji))];
  const counted = await Promise.all(
    order.map((emoji) => reactions.count(messageId, emoji, LIMITS.reactionUsersShown)),
  );
  return counted.filter((reaction) => reaction !== null);
}
