import { z } from "zod";
import * as e from "./entities.ts";
import { UserLine } from "./group-file.ts";
import { LIMITS } from "./limits.ts";

/** The first line of an export of a user's messages. */
export const MESSAGE_FILE_FORMAT = "fanfare-messages";
export const MESSAGE_FILE_VERSION = 1;

const HeaderLine = z.object({
  type: z.literal("header"),
  format: z.literal(MESSAGE_FILE_FORMAT),
  version: z.literal(MESSAGE_FILE_VERSION),
  userId: e.id,
  from: e.time,
  to: e.time,
  reason: z.string(),
  exportedBy: e.id,
  exportedAt: e.time,
});
/** Precedes messages of a channel, again if those of another one came between. */
export const PlaceLine = z.object({
  type: z.literal("channel"),
  id: e.id,
  kind: z.enum(["text", "voice", "section", "direct", "groupDirect", "thread", "deleted"]),
  name: z.string(),
  /** Of a thread: the channel that it is in. */
  parentId: e.id.nullable(),
  group: z.object({ id: e.id, name: z.string() }).nullable(),
  /** The participants of a direct channel, at the time of the export or when it was deleted. */
  memberIds: z.array(e.id),
});
const ExportedMessageLine = z.object({
  type: z.literal("message"),
  message: e.MessageSchema,
  /** True: it was deleted while its author was under a legal hold; this is what was deleted. */
  held: z.boolean(),
});
export type PlaceLine = z.output<typeof PlaceLine>;
/** A text that the preceding message had before an edit, latest first. */
const EditLine = z.object({
  type: z.literal("edit"),
  messageId: e.id,
  version: z.int(),
  content: z.string(),
  writtenAt: e.time,
});
/** A link to an attachment of the preceding message. Anyone who has it can download the file until it expires. */
const FileLine = z.object({ type: z.literal("file"), messageId: e.id, fileId: e.id, url: z.string() });
const EndLine = z.object({ type: z.literal("end"), lines: z.int(), sha256: z.string() });

/** A message or one of its former texts. */
export const ExportedLine = z.discriminatedUnion("type", [ExportedMessageLine, EditLine]);
export const MessageFileLineSchema = z.discriminatedUnion("type", [
  HeaderLine,
  PlaceLine,
  ExportedMessageLine,
  EditLine,
  FileLine,
  UserLine,
  EndLine,
]);
export type MessageFileLine = z.output<typeof MessageFileLineSchema>;
/** Any line except the first and the last. */
export type MessageFileContent = Exclude<MessageFileLine, { type: "header" | "end" }>;

/** Whose messages of which time an export has: sent at or after `from`, and before `to`. */
export const exportedSpan = e.ofUser.extend({ from: e.time, to: e.time });

/** With `version`, the page ended in the middle of the former texts of a message: those from this version on were returned. */
const withVersion = z.object({ version: z.int().optional() });
/** Where a page of an export ended: after the message with this nonce. */
export const exportPosition = withVersion.extend({
  channelId: e.id,
  nonce: z.string().max(LIMITS.nonceMaxChars),
});
export const heldPosition = withVersion.extend({ messageId: e.id });
