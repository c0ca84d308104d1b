import { LIMITS, type Message, type Services, userRoom } from "@fanfare/contract";
import {
  can,
  chunks,
  type Handlers,
  limitReached,
  type NodeContext,
  ResponseBudget,
  responseUsers,
  serviceError,
  usersInMessages,
} from "@fanfare/kernel";
import { lookUpPlaces, type Place } from "./inbox.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { presentSaved, type SavedDocument, type SavedRepository } from "./saved.repository.ts";

export const savedActions = ({ node, saved, remindAt: noteTime }: InboxDependencies): Handlers => ({
  "saved.add": async ({ params: { channelId, messageId, remindAt }, actor: { userId }, services }) => {
    const { message } = await services.message.get({ channelId, messageId });
    if (message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
    const time = remindAt === null ? null : new Date(remindAt);
    const document = await saved.add({ userId, messageId, channelId }, time);
    if (document === null) throw limitReached("savedPerUser");
    if (time !== null) await noteTime(time);
    const presented = presentSaved(document);
    node.publish(userRoom(userId), "saved.added", { saved: presented });
    return { saved: presented };
  },

  "saved.remove": async ({ params: { messageId }, actor: { userId } }) => {
    if (await saved.remove(userId, messageId)) node.publish(userRoom(userId), "saved.removed", { messageId });
    return {};
  },

  "saved.list": async ({ actor: { userId } }) => ({
    saved: (await saved.listOf(userId, LIMITS.savedPerUser)).map(presentSaved),
  }),

  "saved.listMessages": async ({ params, actor: { userId }, services }) => {
    const { text, cursor, limit, withUsers } = params;
    const documents =
      text === undefined
        ? await saved.listOf(userId, limit, cursor)
        : await withWords(node, text, limit, await saved.listOf(userId, LIMITS.savedPerUser, cursor));
    const messages = await messagesOf(node.services, documents);
    await removeDeleted(saved, documents, messages);
    const found = documents.flatMap(({ messageId }) => messages.get(messageId) ?? []);
    const places = new Map<string, Place | null>();
    await lookUpPlaces(node, userId, found, places);
    const seen = found.flatMap((message) => {
      const place = places.get(message.channelId);
      return place ? [{ message, groupId: place.groupId }] : [];
    });
    const items = new ResponseBudget().takeWhileFits(seen);
    const last = items.length < seen.length ? items.at(-1)!.message.id : documents.at(-1)?.messageId;
    const isEnd = items.length === seen.length && documents.length < limit;
    return {
      items,
      nextCursor: isEnd ? null : documents.find(({ messageId }) => messageId === last)!._id,
      ...(await responseUsers(services, withUsers, usersInMessages(items.map(({ message }) => message)))),
    };
  },
});

/** The first `limit` of those whose messages have the words of a text. */
async function withWords(
  { services }: NodeContext,
  text: string,
  limit: number,
  documents: readonly SavedDocument[],
): Promise<SavedDocument[]> {
  const found: SavedDocument[] = [];
  for (const some of chunks(documents, LIMITS.pageMaxItems)) {
    const { messageIds } = await services.search.filterMessages({
      messageIds: some.map(({ messageId }) => messageId),
      text,
    });
    found.push(...some.filter(({ messageId }) => messageIds.includes(messageId)));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Those that still exist, by id. */
export async function messagesOf(
  services: Services,
  documents: readonly Pick<SavedDocument, "messageId">[],
): Promise<Map<string, Message>> {
  const found = new Map<string, Message>();
  for (const some of chunks(documents, LIMITS.pageMaxItems)) {
    let messageIds = some.map(({ messageId }) => messageId);
    while (messageIds.length > 0) {
      const { messages, stoppedAt } = await services.message.getMany({ messageIds });
      for (const message of messages) found.set(message.id, message);
      messageIds = stoppedAt === null ? [] : messageIds.filter((id) => id <= stoppedAt);
    }
  }
  return found;
}

/** So that they don't count against the limit. */
async function removeDeleted(
  saved: SavedRepository,
  documents: readonly SavedDocument[],
  messages: ReadonlyMap<string, Message>,
): Promise<void> {
  const gone = documents.filter(({ messageId }) => !messages.has(messageId));
  if (gone.length > 0) await saved.removeMany(gone.map(({ _id }) => _id));
}

interface RemindersOptions {
  node: NodeContext;
  saved: SavedRepository;
  push: (
    place: { channelId: string; groupId: string | null },
    userId: string,
    message: Message,
  ) => Promise<void>;
}

/** Reminds a user of a saved message, at least once. Not of one that was deleted or that they can no longer see. */
export function createReminders({ node, saved, push }: RemindersOptions) {
  return (some: readonly SavedDocument[]) => {
    let messages: ReturnType<typeof messagesOf> | undefined;
    return async (document: SavedDocument): Promise<void> => {
      const { userId, channelId, messageId } = document;
      const access = await node.access.get(userId, { channelId });
      const message = (await (messages ??= messagesOf(node.services, some))).get(messageId);
      if (message !== undefined && can(access, "view")) {
        node.publish(userRoom(userId), "saved.reminded", { saved: presentSaved(document) });
        await push({ channelId, groupId: access.groupId }, userId, message);
      }
      await saved.reminded(document);
    };
  };
}
