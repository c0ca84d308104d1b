import { LIMITS, type Reaction } from "@fanfare/contract";
import { REACTION_CHANGES, REMOVALS_PER_BATCH } from "../bounds.ts";
import { changeMessage } from "../change-message.ts";
import type { MessageDocument } from "../message.model.ts";
import type { MessageRepository } from "../message.repository.ts";
import type { MessageDependencies } from "../message.dependencies.ts";
import type { ReactionRepository } from "./reaction.repository.ts";

export interface CountingParts extends Pick<MessageDependencies, "commit" | "changing"> {
  messages: MessageRepository;
  reactions: ReactionRepository;
  /** The rooms of a channel, as one who may see it knows them. */
  roomsFor: (userId: string, channelId: string) => Promise<readonly string[]>;
}

/** Makes a message show the reactions that there are; where it is deleted, removes them. @returns how many changes it has had */
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
  const heard = rooms ?? (await roomsFor(message.authorId.toHexString(), channelId));
  await changeMessage(dependencies, { channelId, messageId, rooms: heard, announce }, async (before) => {
    if (before.revs.length >= REACTION_CHANGES) return null;
    // After the message: if another worker stores a later count meanwhile, this one is refused and made anew.
    const counted = await countAll(reactions, before);
    const isSame = JSON.stringify(counted) === JSON.stringify(before.reactions ?? []);
    return isSame ? null : { reactions: counted.length === 0 ? undefined : counted };
  });
  return message.revs.length + 1;
}

/** Those that were there keep their places. */
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
