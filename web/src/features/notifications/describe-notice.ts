import i18next from "i18next";
import type { ServerCache } from "../../data/cache.ts";
import { usersOf } from "../../data/users.ts";
import { placePath } from "../../routes.ts";
import { lex } from "../messages/markdown/lex.ts";
import { plainText } from "../messages/markdown/plain-text.ts";
import type { Notice } from "./hear-messages.ts";
import type { SystemNotification } from "./system-notification.ts";

const MAX_CHARS = 200;

/** A notice in words, and where it leads. */
export async function describeNotice(
  cache: ServerCache,
  { message, channel }: Notice,
): Promise<SystemNotification> {
  const author = message.as?.name ?? (await nameOf(cache, message.authorId));
  const { groupId, name, id, parentId } = channel;
  const group = cache.read("group.listMine", {})?.groups.find((held) => held.id === groupId)?.name;
  const place = groupId === null ? name : [`#${name}`, group].filter(Boolean).join(", ");
  const path =
    parentId === null
      ? placePath(groupId, id, { message: message.id })
      : placePath(groupId, parentId, { thread: id, message: message.id });
  return {
    title: place === "" ? author : `${author} (${place})`,
    body: await bodyOf(cache, message.content),
    channelId: id,
    path,
  };
}

async function bodyOf(cache: ServerCache, content: string): Promise<string> {
  const text = plainText(lex(content.slice(0, MAX_CHARS * 2)));
  const ids = [...new Set([...text.matchAll(/<@([0-9a-f]{24})>/g)].map(([, id]) => id!))];
  const names = new Map(await Promise.all(ids.map(async (id) => [id, await nameOf(cache, id)] as const)));
  const readable = text
    .replaceAll(/<@([0-9a-f]{24})>/g, (token, id: string) => `@${names.get(id) ?? token}`)
    .replaceAll(/<(@&|#)[0-9a-f]{24}>/g, (_, sign: string) => `${sign[0]}…`)
    .trim();
  if (readable === "") return i18next.t("notifications:file");
  const chars = Array.from(readable);
  return chars.length > MAX_CHARS ? `${chars.slice(0, MAX_CHARS).join("")}…` : readable;
}

async function nameOf(cache: ServerCache, userId: string): Promise<string> {
  const users = usersOf(cache);
  const known = users.get(userId)?.nickname;
  if (known !== undefined) return known;
  const answer = await cache.client.call("user.getMany", { userIds: [userId] }).catch(() => null);
  return answer?.users[0]?.nickname ?? "…";
}
