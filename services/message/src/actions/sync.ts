import { LIMITS, type ChannelSync } from "@fanfare/contract";
import { may, ServiceError, type Handler } from "@fanfare/kernel";
import type { HeadDocument } from "../channel-head.model.ts";
import { documentId } from "../document-id.ts";
import { SYNC_CONCURRENCY } from "../limits.ts";
import { presentMessage } from "../message.presenter.ts";
import type { Parts } from "../parts.ts";
import { boundedMap } from "../sync/bounded-map.ts";

interface Cursor {
  channelId: string;
  afterRev: number;
}

export function sync(parts: Parts): Handler<"channel.sync"> {
  return async ({ params: { cursors }, actor }) => {
    const visible = await boundedMap(cursors, SYNC_CONCURRENCY, ({ channelId }) =>
      maySee(parts, actor.userId, channelId),
    );
    const channelIds = cursors.filter((_, i) => visible[i]).map(({ channelId }) => channelId);
    const heads = channelIds.length === 0 ? [] : await parts.heads.findMany(channelIds);
    const byChannel = new Map(heads.map((head) => [documentId(head), head]));
    let left: number = LIMITS.changesPerSyncCall;
    const wanted = cursors.map((cursor, i) => {
      if (visible[i] !== true) return { cursor, head: null, status: "gone" as const };
      const head = byChannel.get(cursor.channelId) ?? null;
      const changes = mostChanges(cursor, head);
      if (changes > left) return { cursor, head, status: "resync" as const };
      left -= changes;
      return { cursor, head, status: "ok" as const };
    });
    const channels = await boundedMap(wanted, SYNC_CONCURRENCY, ({ cursor, head, status }) =>
      status === "gone" ? gone(cursor) : syncChannel(parts, cursor, head, status === "resync"),
    );
    return { channels };
  };
}

/** How many changes this channel can bring into the answer. */
function mostChanges({ afterRev }: Cursor, head: HeadDocument | null): number {
  return Math.min(Math.max(0, (head?.rev ?? 0) - afterRev), LIMITS.changesPerSync);
}

async function maySee({ node }: Parts, userId: string, channelId: string): Promise<boolean> {
  try {
    return may(await node.access.get(userId, { channelId }), "view");
  } catch (error) {
    if (error instanceof ServiceError && error.code === 404) return false;
    throw error;
  }
}

async function syncChannel(
  { messages, positions }: Parts,
  { channelId, afterRev }: Cursor,
  found: HeadDocument | null,
  isTooMuch: boolean,
): Promise<ChannelSync> {
  // First the position, then the changes: what the position does not call missing is among them.
  const { head, missingRevs } = await positions.describe(channelId, found, afterRev);
  // Beyond what one answer holds, or before its reader, where only a database that was set back can stand.
  if (isTooMuch || afterRev > head.rev)
    return { channelId, status: "resync", messages: [], head, missingRevs };
  if (afterRev === head.rev) return { channelId, status: "ok", messages: [], head, missingRevs };
  const changed = await messages.changedSince(channelId, afterRev, LIMITS.changesPerSync + 1);
  if (changed.length > LIMITS.changesPerSync) {
    return { channelId, status: "resync", messages: [], head, missingRevs };
  }
  return { channelId, status: "ok", messages: changed.map(presentMessage), head, missingRevs };
}

async function gone({ channelId }: Cursor): Promise<ChannelSync> {
  return { channelId, status: "gone", messages: [], head: { seq: 0, rev: 0 }, missingRevs: [] };
}
