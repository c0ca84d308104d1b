import {
  LIMITS,
  MESSAGE_FILE_FORMAT,
  MESSAGE_FILE_VERSION,
  type MessageFileContent,
  type MessageFileLine,
  type Params,
  type ParsedParams,
  type PlaceLine,
  type Result,
  type Services,
} from "@fanfare/contract";
import { encodeLines, readPages } from "@fanfare/group-file";
import { chunks } from "@fanfare/kernel";

type Wanted = ParsedParams<"admin.startMessageExport">;
type Lines = Result<"message.exportSent">["lines"];

/**
 * All messages of a user as JSON lines, each with its newline: channels with the messages in them, deleted ones that a legal hold has
 * kept, and finally all referenced users. Only ids of channels and users are held in memory.
 */
export function messageFile(
  services: Services,
  wanted: Wanted,
  exportedBy: string,
  publicUrl: string,
): AsyncGenerator<string> {
  const { userId, from, to, reason } = wanted;
  return encodeLines<MessageFileLine>(
    {
      type: "header",
      format: MESSAGE_FILE_FORMAT,
      version: MESSAGE_FILE_VERSION,
      userId,
      from,
      to,
      reason,
      exportedBy,
      exportedAt: new Date().toISOString(),
    },
    content(services, wanted, publicUrl),
  );
}

async function* content(
  services: Services,
  { userId, from, to, fileLinks }: Wanted,
  publicUrl: string,
): AsyncGenerator<MessageFileContent> {
  const span = { userId, from, to };
  const users = new Set([userId]);
  let currentId: string | undefined;

  /** @param places deleted channels, which the group service no longer knows */
  async function* complete(lines: Lines, places: readonly PlaceLine[]): AsyncGenerator<MessageFileContent> {
    const messages = lines.flatMap((line) => (line.type === "message" ? [line.message] : []));
    const known = new Map(places.map((place) => [place.id, place]));
    const unknown = [...new Set(messages.map(({ channelId }) => channelId))].filter((id) => !known.has(id));
    for (const channelIds of chunks(unknown, LIMITS.pageMaxItems))
      for (const line of (await services.group.describeChannels({ channelIds })).lines)
        known.set(line.id, line);
    for (const { memberIds } of known.values()) for (const id of memberIds) users.add(id);
    const fileIds = messages.flatMap(({ attachments = [] }) => attachments.map(({ fileId }) => fileId));
    const links = new Map<string, string>();
    for (const some of fileLinks ? chunks(fileIds, LIMITS.pageMaxItems) : []) {
      for (const { fileId, path } of (await services.file.linkExported({ fileIds: some })).links)
        links.set(fileId, `${publicUrl}${path}`);
    }
    for (const line of lines) {
      if (line.type === "edit") {
        yield line;
        continue;
      }
      const { channelId, mentions, attachments = [] } = line.message;
      if (channelId !== currentId) yield known.get(channelId)!;
      currentId = channelId;
      for (const id of mentions?.userIds ?? []) users.add(id);
      yield line;
      for (const { fileId } of attachments) {
        const url = links.get(fileId);
        if (url !== undefined) yield { type: "file", messageId: line.message.id, fileId, url };
      }
    }
  }

  const sent = (after: Params<"message.exportSent">["after"]) =>
    services.message.exportSent({ ...span, after });
  for await (const { lines } of readPages(sent)) yield* complete(lines, []);
  const held = (after: Params<"message.exportHeld">["after"]) =>
    services.message.exportHeld({ ...span, after });
  for await (const { lines, places } of readPages(held)) yield* complete(lines, places);
  for (const userIds of chunks([...users], LIMITS.exportedUsersPerLookup))
    yield* (await services.user.exportNames({ userIds })).lines;
}
