import { type ChannelSync, type Head, LIMITS, type Message } from "@fanfare/contract";
import { boundedMap, type Handlers, jsonBytes, can, responseUsers, usersInMessages } from "@fanfare/kernel";
import { LATE_WRITE_MS, SYNC_CONCURRENCY, WRITE_TIMEOUT_MS } from "./constants.ts";
import { type Budget, takeInto } from "./message.presenter.ts";
import type { MessageDependencies } from "./message.dependencies.ts";

interface Cursor {
  channelId: string;
  afterRev: number;
}

const NOTHING: Head = { seq: 0, rev: 0 };

/**
 * The size limit of a response, shared by its channels. A channel that doesn't fit returns what it took, so that others still
 * fit. What was read for it is lost, so all channels together read at most twice the limit.
 */
export class SyncBudget {
  #left: number = LIMITS.answerMaxBytes;
  #unread = 2 * LIMITS.answerMaxBytes;

  get isExhausted(): boolean {
    return this.#left <= 0 || this.#unread <= 0;
  }

  share(): Budget & { giveBack(): void } {
    let taken = 0;
    return {
      take: (item) => {
        if (this.isExhausted) return false;
        const bytes = jsonBytes(item);
        this.#unread -= bytes;
        if (bytes > this.#left) return false;
        this.#left -= bytes;
        taken += bytes;
        return true;
      },
      giveBack: () => {
        this.#left += taken;
        taken = 0;
      },
    };
  }
}

export const syncActions = (dependencies: MessageDependencies): Handlers => ({
  "channel.sync": async ({ params: { cursors, withUsers }, actor, services }) => {
    const visible = await boundedMap(cursors, SYNC_CONCURRENCY, ({ channelId }) =>
      canSee(dependencies, actor.userId, channelId),
    );
    const channelIds = cursors.filter((_, i) => visible[i]).map(({ channelId }) => channelId);
    const heads = channelIds.length === 0 ? [] : await dependencies.heads.findMany(channelIds);
    const byChannel = new Map(heads.map((head) => [head._id, head]));
    let left: number = LIMITS.changesPerSyncCall;
    const wanted = cursors.map((cursor, i) => {
      if (visible[i] !== true) return { cursor, shown: NOTHING, status: "gone" as const };
      const shown = byChannel.get(cursor.channelId) ?? NOTHING;
      const changes = mostChanges(cursor, shown);
      if (changes > left) return { cursor, shown, status: "resync" as const };
      left -= changes;
      return { cursor, shown, status: "ok" as const };
    });
    const budget = new SyncBudget();
    const channels = await boundedMap(wanted, SYNC_CONCURRENCY, ({ cursor, shown, status }) =>
      status === "gone"
        ? gone(cursor)
        : syncChannel(dependencies, cursor, shown, status === "resync", budget),
    );
    const messages = channels.flatMap((channel) => channel.messages);
    return { channels, ...(await responseUsers(services, withUsers, usersInMessages(messages))) };
  },
});

/** The maximum number of changes that this channel can add to the response. */
function mostChanges({ afterRev }: Cursor, shown: Head): number {
  return Math.min(Math.max(0, shown.rev - afterRev), LIMITS.changesPerSync);
}

const canSee = async ({ node }: MessageDependencies, userId: string, channelId: string): Promise<boolean> =>
  can(await node.access.get(userId, { channelId }), "view");

async function syncChannel(
  { messages, heads }: MessageDependencies,
  { channelId, afterRev }: Cursor,
  shown: Head,
  isTooMuch: boolean,
  budget: SyncBudget,
): Promise<ChannelSync> {
  const resync = async (): Promise<ChannelSync> => {
    return { channelId, status: "resync", messages: [], head: await messages.head(channelId) };
  };
  if (isTooMuch || (budget.isExhausted && shown.rev > afterRev)) return resync();
  const changed: Message[] = [];
  const share = budget.share();
  const take = takeInto(changed, share);
  const end = await messages.scanChangedSince(channelId, afterRev, LIMITS.changesPerSync + 1, take);
  if (end !== "end") {
    share.giveBack();
    return resync();
  }
  // The reader is ahead of the log, which only happens when a database was restored from a backup.
  if (changed.length === 0 && shown.rev < afterRev && (await messages.head(channelId)).rev < afterRev) {
    return resync();
  }
  // The log has no holes and was read in order of rev, so this is its head at the time of the read.
  const rev = changed.at(-1)?.rev ?? afterRev;
  const head = { seq: Math.max(shown.seq, ...changed.map(({ seq }) => seq)), rev };
  if (shown.rev < rev && isHeadOutdated(changed)) {
    heads.raise(new Map([[channelId, head]]), WRITE_TIMEOUT_MS).catch(() => undefined);
  }
  return { channelId, status: "ok", messages: changed, head };
}

/** The worker that stored these must have raised the head by now, unless it died. */
function isHeadOutdated(changed: readonly Message[]): boolean {
  return changed.every(({ createdAt }) => Date.parse(createdAt) < Date.now() - LATE_WRITE_MS);
}

function gone({ channelId }: Cursor): Promise<ChannelSync> {
  return Promise.resolve({ channelId, status: "gone", messages: [], head: NOTHING });
}
