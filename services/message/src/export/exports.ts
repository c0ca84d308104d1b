import type { Params, Result, Services } from "@fanfare/contract";
import { type Handlers, invalid } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";
import { documentId, type MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";

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

/** A page ends after this many characters; one more message or batch of former texts can exceed it. */
const PAGE_CHARS = 200_000;
const MESSAGES_PER_QUERY = 50;
const EDITS_PER_QUERY = 20;
/** Queries of a page, most of which find nothing: a user has written in few of the channels of an instance. */
const QUERIES_PER_PAGE = 200;
const BEFORE_ALL = "0".repeat(24);

type Line = Result<"message.exportSent">["lines"][number];
type Span = Pick<Params<"message.exportSent">, "from" | "to">;

/** Exports of all messages of a user for admins, whether or not the account still exists or is in the channels. */
export function exportSentActions({ edits, held, messages }: MessageDependencies): Handlers {
  /** Adds a message with its former texts below `version`, unless it was sent at another time. */
  const add = async (
    page: Page,
    message: MessageDocument,
    span: Span,
    { version, isHeld }: { version: number | undefined; isHeld: boolean },
  ): Promise<number | null> => {
    const sentAt = message.createdAt.toISOString();
    if (sentAt < span.from || sentAt >= span.to) return null;
    if (version === undefined) {
      const presented = presentMessage(isHeld ? { ...message, deletedAt: null } : message);
      const deletedAt = message.deletedAt?.toISOString() ?? null;
      page.add({ type: "message", message: { ...presented, deletedAt }, held: isHeld });
    }
    if (message.deletedAt !== null && !isHeld) return null;
    const messageId = documentId(message);
    // A version stored for an edit that failed is not a former text.
    let below = version ?? message.editCount ?? 0;
    while (below > 0) {
      const found = await edits.list(messageId, below, EDITS_PER_QUERY);
      for (const { content, writtenAt, ...edit } of found)
        page.add({
          type: "edit",
          messageId,
          version: edit.version,
          content,
          writtenAt: writtenAt.toISOString(),
        });
      below = found.length < EDITS_PER_QUERY ? 0 : found.at(-1)!.version;
      if (below > 0 && page.isFull) return below;
    }
    return null;
  };

  return {
    "message.exportSent": async ({ params: { userId, after, ...span } }) => {
      const page = new Page();
      let channelId = after?.channelId ?? (await messages.nextChannelId(BEFORE_ALL));
      let { nonce, version } = { nonce: "", version: undefined, ...after };
      for (let queries = 0; channelId !== null; queries += 1) {
        if (page.isFull || queries === QUERIES_PER_PAGE)
          return { lines: page.lines, next: { channelId, nonce } };
        const isResumed = version !== undefined;
        const found = await messages.listAuthored(channelId, userId, nonce, isResumed, MESSAGES_PER_QUERY);
        const kept = await held.findIds(found.filter(({ deletedAt }) => deletedAt !== null).map(documentId));
        let rest = found.length === MESSAGES_PER_QUERY;
        for (const message of found) {
          const from = message.nonce === nonce ? version : undefined;
          ({ nonce } = message);
          // `message.exportHeld` returns it with its text.
          if (kept.has(documentId(message))) continue;
          const below = await add(page, message, span, { version: from, isHeld: false });
          if (below !== null) return { lines: page.lines, next: { channelId, nonce, version: below } };
          rest ||= page.isFull;
          if (page.isFull) break;
        }
        version = undefined;
        if (rest) continue;
        channelId = await messages.nextChannelId(channelId);
        nonce = "";
      }
      return { lines: page.lines, next: null };
    },

    "message.exportHeld": async ({ params: { userId, after, ...span } }) => {
      const page = new Page();
      const resumed = after?.version === undefined ? null : await held.find(after.messageId);
      const found = await held.list(userId, after?.messageId ?? null, MESSAGES_PER_QUERY);
      const alive = await messages.findAlive(found.map(documentId));
      // A deletion can have failed after the message was kept: then it is among those that were sent.
      const deleted = found.filter((message) => !alive.has(documentId(message)));
      const places: Result<"message.exportHeld">["places"] = [];
      for (const message of resumed === null ? deleted : [resumed, ...deleted]) {
        if (message.place !== undefined) places.push(message.place);
        const messageId = documentId(message);
        const version = message === resumed ? after?.version : undefined;
        const below = await add(page, message, span, { version, isHeld: true });
        if (below !== null) return { lines: page.lines, places, next: { messageId, version: below } };
        if (page.isFull) return { lines: page.lines, places, next: { messageId } };
      }
      const last = found.length < MESSAGES_PER_QUERY ? undefined : found.at(-1);
      const next = last === undefined ? null : { messageId: documentId(last) };
      return { lines: page.lines, places, next };
    },
  };
}

class Page {
  readonly lines: Line[] = [];
  #chars = 0;

  add(line: Line): void {
    this.lines.push(line);
    this.#chars += JSON.stringify(line).length;
  }

  get isFull(): boolean {
    return this.#chars >= PAGE_CHARS;
  }
}
