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
    const wanted = cursors.map((cursor, i) => ({ cursor, isVisible: visible[i] === true }));
    const channels = await boundedMap(wanted, SYNC_CONCURRENCY, ({ cursor, isVisible }) =>
      isVisible
        ? syncChannel(parts, cursor, byChannel.get(cursor.channelId) ?? null)
        : Promise.resolve(gone(cursor)),
    );
    return { channels };
  };
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
): Promise<ChannelSync> {
  // First the position, then the changes: what the position does not call missing is among them.
  const { head, missingRevs } = await positions.describe(channelId, found, afterRev);
  // Only a database that was set back can stand before its reader.
  if (afterRev > head.rev) return { channelId, status: "resync", messages: [], head, missingRevs };
  if (afterRev === head.rev) return { channelId, status: "ok", messages: [], head, missingRevs };
  const changed = await messages.changedSince(channelId, afterRev, LIMITS.changesPerSync + 1);
  if (changed.length > LIMITS.changesPerSync) {
    return { channelId, status: "resync", messages: [], head, missingRevs };
  }
  return { channelId, status: "ok", messages: changed.map(presentMessage), head, missingRevs };
}

function gone({ channelId }: Cursor): ChannelSync {
  return { channelId, status: "gone", messages: [], head: { seq: 0, rev: 0 }, missingRevs: [] };
}
