import type { ChannelDocument } from "./channel.model.ts";

/** Where a page of channels in the order of their last activity begins: behind this one. */
export interface ActivityCursor {
  lastActivityAt: Date;
  channelId: string;
}

export function activityCursorOf({
  _id,
  lastActivityAt,
}: Pick<ChannelDocument, "_id" | "lastActivityAt">): string {
  return `${lastActivityAt?.getTime() ?? 0}-${_id}`;
}

/** The contract has checked its form. */
export function parseActivityCursor(cursor: string): ActivityCursor {
  const [ms, channelId] = cursor.split("-") as [string, string];
  return { lastActivityAt: new Date(Number(ms)), channelId };
}

/** A filter, of which the first condition is what an index can be read by. */
export function activeBefore({ lastActivityAt, channelId }: ActivityCursor) {
  return {
    lastActivityAt: { $lte: lastActivityAt },
    $or: [{ lastActivityAt: { $lt: lastActivityAt } }, { _id: { $lt: channelId } }],
  };
}

/** The same for those that follow when the last active come last. */
export function activeAfter({ lastActivityAt, channelId }: ActivityCursor) {
  return {
    lastActivityAt: { $gte: lastActivityAt },
    $or: [{ lastActivityAt: { $gt: lastActivityAt } }, { _id: { $gt: channelId } }],
  };
}
