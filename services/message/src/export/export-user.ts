import type { Call, Result } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { presentMessage } from "../message.presenter.ts";
import type { OwnMessages } from "./own-messages.repository.ts";
import { formatPosition, parsePosition, type Position } from "./position.ts";

/** Messages of one answer, and channels that are looked at for it. */
const PAGE = 100;
const CHANNELS = 50;

interface Channels {
  channelIds: string[];
  /** null: these are the last ones. */
  next: Position | null;
}

export function exportUser(own: OwnMessages): Handler<"message.exportUser"> {
  return async ({ params: { userId, cursor }, call }) => {
    const position = cursor === null ? { source: "read" as const, at: null } : parsePosition(cursor);
    const { channelIds, next } = await nextChannels(own, call, userId, position);
    const items: Result<"message.exportUser">["items"] = [];
    for (const channelId of channelIds) {
      if (position.channelId !== undefined && channelId < position.channelId) continue;
      const afterNonce = channelId === position.channelId ? (position.nonce ?? "") : "";
      const found = await own.list(channelId, userId, afterNonce, PAGE - items.length);
      items.push(...found.map((message) => ({ kind: "message", data: presentMessage(message) })));
      const last = found.at(-1);
      if (items.length < PAGE || last === undefined) continue;
      const { source, at } = position;
      return { items, nextCursor: formatPosition({ source, at, channelId, nonce: last.nonce }) };
    }
    return { items, nextCursor: next === null ? null : formatPosition(next) };
  };
}

/** In the order of their ids. */
async function nextChannels(
  own: OwnMessages,
  call: Call,
  userId: string,
  { source, at }: Position,
): Promise<Channels> {
  if (source === "read") {
    const channelIds = await own.listReadChannelIds(userId, at, CHANNELS);
    const last = channelIds.length === CHANNELS ? channelIds.at(-1) : undefined;
    return {
      channelIds,
      next: last === undefined ? { source: "groups", at: null } : { source, at: last },
    };
  }
  const { channelIds, nextCursor } = await call("group.listOwnChannels", { userId, of: source, cursor: at });
  const following = source === "groups" ? { source: "direct" as const, at: null } : null;
  return {
    channelIds: await own.withoutMarker(userId, channelIds.sort()),
    next: nextCursor === null ? following : { source, at: nextCursor },
  };
}
