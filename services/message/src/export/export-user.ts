import type { Services, Result } from "@fanfare/contract";
import { type Handlers, invalid } from "@fanfare/kernel";
import { presentMessage } from "../message.presenter.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

/** Messages per page, and channels read for it. */
const PAGE = 100;
const CHANNELS = 50;

interface Channels {
  channelIds: string[];
  /** null: the last page. */
  next: Position | null;
}

export const exportUserActions = ({ markers, messages }: MessageDependencies): Handlers => ({
  "message.exportUser": async ({ params: { userId, cursor }, services }) => {
    const position = cursor === null ? { source: "read" as const, at: null } : parsePosition(cursor);
    const { channelIds, next } = await nextChannels(markers, services, userId, position);
    const items: Result<"message.exportUser">["items"] = [];
    for (const channelId of channelIds) {
      if (position.channelId !== undefined && channelId < position.channelId) continue;
      const afterNonce = channelId === position.channelId ? (position.nonce ?? "") : "";
      const found = await messages.listAuthored(channelId, userId, afterNonce, false, PAGE - items.length);
      items.push(...found.map((message) => ({ kind: "message", data: presentMessage(message) })));
      const last = found.at(-1);
      if (items.length < PAGE || last === undefined) continue;
      const { source, at } = position;
      return { items, nextCursor: formatPosition({ source, at, channelId, nonce: last.nonce }) };
    }
    return { items, nextCursor: next === null ? null : formatPosition(next) };
  },
});

/** Channels in which a user can have written, sorted by id: without an index of authors, those that they have read come first. */
async function nextChannels(
  markers: MessageDependencies["markers"],
  services: Services,
  userId: string,
  { source, at }: Position,
): Promise<Channels> {
  if (source === "read") {
    const channelIds = await markers.listReadChannelIds(userId, at, CHANNELS);
    const last = channelIds.length === CHANNELS ? channelIds.at(-1) : undefined;
    return {
      channelIds,
      next: last === undefined ? { source: "groups", at: null } : { source, at: last },
    };
  }
  const { channelIds, nextCursor } = await services.group.listOwnChannels({ userId, of: source, cursor: at });
  const read = await markers.findMany(userId, channelIds);
  const following = source === "groups" ? { source: "direct" as const, at: null } : null;
  return {
    channelIds: channelIds.filter((id) => !read.has(id)).toSorted(),
    next: nextCursor === null ? following : { source, at: nextCursor },
  };
}

const SOURCES = ["read", "groups", "direct"] as const;
const ID = /^[0-9a-f]{24}$/;

/** The position of an export. */
export interface Position {
  /** The source of channels: those the user has read, then further ones of their groups, then direct ones. */
  source: (typeof SOURCES)[number];
  /** Position in the source: an id or a cursor of another service. null: the start. */
  at: string | null;
  /** The channel in which the last page ended. */
  channelId?: string;
  nonce?: string;
}

export function formatPosition(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** @throws {ServiceError} VALIDATION_FAILED for what `formatPosition` did not make */
export function parsePosition(cursor: string): Position {
  const position = parseJson(Buffer.from(cursor, "base64url").toString());
  if (isPosition(position)) return position;
  throw invalid("cursor", "must be a cursor of the page before");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isPosition(value: unknown): value is Position {
  if (typeof value !== "object" || value === null) return false;
  const { source, at, channelId, nonce } = value as Record<keyof Position, unknown>;
  const isText = (text: unknown) => text === undefined || typeof text === "string";
  const isAt = at === null || (typeof at === "string" && (source !== "read" || ID.test(at)));
  return SOURCES.some((known) => known === source) && isAt && isText(channelId) && isText(nonce);
}
