import { userOfRoom, type Message } from "@fanfare/contract";
import type { DomainEvents, NodeContext } from "@fanfare/kernel";
import { USERS_PER_BATCH } from "../bounds.ts";
import type { SettingRepository } from "../setting.repository.ts";
import type { Reason } from "./wants-push.ts";

export interface Candidate {
  userId: string;
  message: Message;
  reason: Reason;
}

type Stored = DomainEvents["message.stored"];

/**
 * Whom a batch of messages may concern: the others of a direct channel, those who are named, and those who want to hear of everything
 * in the place. What it costs does not depend on the members of a group: whom a mention of everybody or of a role means, crowds.ts sees to.
 */
export async function pushCandidates(
  node: NodeContext,
  settings: SettingRepository,
  { channelId, groupId, messages }: Stored,
): Promise<Candidate[]> {
  if (groupId === null) return directCandidates(node, channelId, messages);
  const eager = await settings.listEager([groupId, channelId], USERS_PER_BATCH);
  const candidates = messages.flatMap((message) => {
    const named = message.mentions?.userIds ?? [];
    return [
      ...named.map((userId) => ({ userId, message, reason: "mention" as const })),
      ...eager
        .filter((userId) => !named.includes(userId))
        .map((userId) => ({ userId, message, reason: "any" as const })),
    ];
  });
  return candidates.filter(({ userId, message }) => userId !== message.authorId);
}

async function directCandidates(
  { access }: NodeContext,
  channelId: string,
  messages: readonly Message[],
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const message of messages) {
    // Each of the users is a room of the channel.
    const { rooms } = await access.get(message.authorId, { channelId });
    const userIds = rooms.map(userOfRoom).filter((id) => id !== null && id !== message.authorId);
    candidates.push(...userIds.map((userId) => ({ userId: userId!, message, reason: "direct" as const })));
  }
  return candidates;
}
