import { setTimeout as wait } from "node:timers/promises";
import { LIMITS, parseMentions, type Message } from "@fanfare/contract";
import type { DomainEvents, NodeContext } from "@fanfare/kernel";
import { CROWD_SHARE, CROWDS_WAITING, MEMBERS_PER_PAGE, QUEUE_REST_MS } from "../bounds.ts";
import type { Candidate } from "./push-candidates.ts";

type Place = Pick<DomainEvents["message.stored"], "channelId" | "groupId">;

/** A message that mentions many, and how far its members have been looked through. */
interface Crowd extends Place {
  groupId: string;
  message: Message;
  everyone: boolean;
  afterUserId: string | null;
  looked: number;
}

export interface CrowdsOptions {
  node: Pick<NodeContext, "call" | "jobs">;
  push: (place: Place, candidates: Candidate[]) => Promise<void>;
  /** Whether further pushes would be dropped. */
  isBusy: () => boolean;
}

/**
 * Pushes mentions of everyone and of roles, as jobs: one page of members at a time, one mention after the other, with a pause after
 * each page.
 */
export function createCrowds({ node, push, isBusy }: CrowdsOptions) {
  const jobs = node.jobs.define<Crowd>("inbox.pushMention", {
    maxWaiting: CROWDS_WAITING,
    run: async ({ key, payload: crowd, signal }) => {
      while (isBusy()) await wait(QUEUE_REST_MS, undefined, { signal });
      const begun = performance.now();
      const { groupId, message, everyone, afterUserId } = crowd;
      const mentions = message.mentions!;
      const page = await node.call("group.listMemberIds", {
        groupId,
        roleIds: everyone ? null : mentions.roleIds,
        afterUserId,
        limit: MEMBERS_PER_PAGE,
      });
      const told = new Set([message.authorId, ...mentions.userIds]);
      const userIds = page.userIds.filter((userId) => !told.has(userId));
      const reason = everyone ? "everyone" : "role";
      await push(
        crowd,
        userIds.map((userId) => ({ userId, message, reason })),
      );
      const looked = crowd.looked + MEMBERS_PER_PAGE;
      if (page.nextUserId === null || looked >= LIMITS.membersPerMentionPush) return;
      await jobs.enqueue(key, { ...crowd, afterUserId: page.nextUserId, looked });
      await wait((performance.now() - begun) * (1 / CROWD_SHARE - 1), undefined, { signal }).catch(() => {});
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

/** @here means those who are there, and they are not pushed to. */
function meansEveryone(content: string): boolean {
  return parseMentions(content.replaceAll(HERE, "")).everyone;
}
