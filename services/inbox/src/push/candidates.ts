import { setTimeout as wait } from "node:timers/promises";
import { LIMITS, type Message, parseMentions, userOfRoom } from "@fanfare/contract";
import type { DomainEvents, NodeContext } from "@fanfare/kernel";
import {
  MASS_MENTION_TIME_SHARE,
  MAX_QUEUED_MASS_MENTIONS,
  MEMBERS_PER_PAGE,
  QUEUE_PAUSE_MS,
  USERS_PER_BATCH,
} from "../constants.ts";
import type { SettingDocument, SettingRepository } from "../setting.repository.ts";

type Place = Pick<DomainEvents["message.stored"], "channelId" | "groupId">;

/** A message that mentions everyone or a role, and the position in the list of members. */
interface MassMention extends Place {
  groupId: string;
  message: Message;
  everyone: boolean;
  afterUserId: string | null;
  looked: number;
}

interface MassMentionsOptions {
  node: Pick<NodeContext, "services" | "jobs">;
  push: (place: Place, candidates: Candidate[]) => Promise<void>;
  /** Whether the push queue is nearly full. */
  isBusy: () => boolean;
}

/** Pushes mentions of everyone and of roles, as jobs: one page of members at a time, with a pause after each. */
export function createMassMentions({ node, push, isBusy }: MassMentionsOptions) {
  const jobs = node.jobs.define<MassMention>("inbox.pushMention", {
    maxWaiting: MAX_QUEUED_MASS_MENTIONS,
    run: async ({ key, payload: mention, signal }) => {
      while (isBusy()) await wait(QUEUE_PAUSE_MS, undefined, { signal });
      const startedAtMs = performance.now();
      const { groupId, message, everyone, afterUserId } = mention;
      const mentions = message.mentions!;
      const page = await node.services.group.listMemberIds({
        groupId,
        roleIds: everyone ? null : mentions.roleIds,
        afterUserId,
        limit: MEMBERS_PER_PAGE,
      });
      const excluded = new Set([message.authorId, ...mentions.userIds]);
      const userIds = page.userIds.filter((userId) => !excluded.has(userId));
      const reason = everyone ? "everyone" : "role";
      await push(
        mention,
        userIds.map((userId) => ({ userId, message, reason })),
      );
      const looked = mention.looked + MEMBERS_PER_PAGE;
      if (page.nextUserId === null || looked >= LIMITS.membersPerMentionPush) return;
      await jobs.enqueue(key, { ...mention, afterUserId: page.nextUserId, looked });
      await wait((performance.now() - startedAtMs) * (1 / MASS_MENTION_TIME_SHARE - 1), undefined, {
        signal,
      }).catch(() => {});
    },
  });

  return {
    /** Resolves when the jobs are stored. */
    async add({ channelId, groupId, messages }: DomainEvents["message.stored"]): Promise<void> {
      if (groupId === null) return;
      for (const message of messages) {
        const everyone = message.mentions?.everyone === true && meansEveryone(message.content);
        if (!everyone && (message.mentions?.roleIds.length ?? 0) === 0) continue;
        if (jobs.isFull) continue;
        const start = { afterUserId: null, looked: 0 };
        await jobs.enqueue(message.id, { channelId, groupId, message, everyone, ...start });
      }
    },
  };
}

const HERE = /(?<![\w@.])@here(?![\w@])/g;

/** @here only addresses users who are online, and those get no pushes. */
function meansEveryone(content: string): boolean {
  return parseMentions(content.replaceAll(HERE, "")).everyone;
}

export interface Candidate {
  userId: string;
  message: Message;
  reason: Reason;
}

type Stored = DomainEvents["message.stored"];

/**
 * Users who may be notified of a batch of messages: members of a direct channel, mentioned users, and users who want
 * notifications for all messages. The cost doesn't depend on the size of the group: @everyone and role mentions are handled by
 * `createMassMentions`.
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
    // The rooms of a direct channel are those of its users.
    const { rooms } = await access.get(message.authorId, { channelId });
    const userIds = rooms.map(userOfRoom).filter((id) => id !== null && id !== message.authorId);
    candidates.push(...userIds.map((userId) => ({ userId: userId!, message, reason: "direct" as const })));
  }
  return candidates;
}

/** Why a user would be notified of a message. */
export type Reason = "direct" | "mention" | "role" | "everyone" | "any";
export type Setting = Pick<SettingDocument, "level" | "mutedUntil" | "suppressEveryone">;

/** Whether a user's settings allow a notification. @param setting undefined: default settings */
export function wantsPush(
  reason: Reason,
  group: Setting | undefined,
  channel: Setting | undefined,
  nowMs: number,
): boolean {
  if ([group, channel].some((setting) => (setting?.mutedUntil?.getTime() ?? 0) > nowMs)) return false;
  const level = channel?.level ?? group?.level ?? (reason === "direct" ? "all" : "mentions");
  if (level === "nothing") return false;
  // Users who want all messages are notified anyway, and must not be notified twice.
  if (reason === "role") return level === "mentions";
  if (reason === "everyone") return level === "mentions" && group?.suppressEveryone !== true;
  return level === "all" || reason === "mention";
}
