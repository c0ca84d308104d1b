import { type GroupFileContent, type GroupFileLineOf, GroupFileLineSchema, LIMITS } from "@fanfare/contract";
import { lines, paragraphs } from "@fanfare/markup";
import { type History, type HistoryMessage, idOf, type MessageRef, nameOf, userId } from "./history.ts";
import { type DirectSink, type FileSink, type KeptFile, keptFiles } from "./sinks.ts";
import type { Report } from "./report.ts";
import { SortedItems } from "./temporary-lines.ts";

/** A message that other messages refer to. */
const NO_TEXT = "…";
const FENCE = "```";
/** A break at the end of a line isn't worth shorter messages than this. */
const MIN_PART = LIMITS.messageMaxChars / 2;

export type Line<T extends GroupFileContent["type"]> = GroupFileLineOf<T>;
interface Part {
  line: Line<"message">;
  reactions: Line<"reaction">[];
  files: readonly KeptFile[];
}

interface Content {
  texts: string[];
  files: KeptFile[][];
}

export const messageId = ({ channel, key, at }: MessageRef): string =>
  idOf("message", `${channel}\n${key}`, at);

/** What becomes of what a group file doesn't have; null: it is left out. */
export interface Sinks {
  files: FileSink | null;
  directs: DirectSink | null;
}

interface Places {
  /** Ids of channels, by key. */
  channels: ReadonlyMap<string, string>;
  /** Ids of direct conversations, by key. */
  directs: ReadonlyMap<string, string>;
  threads: ReadonlyMap<string, Line<"channel">>;
}

/** Messages by place and time, each with its reactions. */
export async function* messageLines(
  history: History,
  { channels, directs, threads }: Places,
  sinks: Sinks,
  report: Report,
  folder: string,
): AsyncGenerator<GroupFileContent> {
  const roots = new Map([...threads.values()].map(({ id, thread }) => [thread!.rootMessageId, id]));
  const sorted = new SortedItems(folder);
  const pins = new Map<string, Map<string, { at: string; by: string }>>();
  let count = 0;
  for await (const { thread = null, ...rest } of history.messages()) {
    const direct = directs.get(rest.channel);
    const place = direct ?? (thread === null ? channels.get(rest.channel) : threads.get(thread)?.id);
    if (place === undefined || (direct !== undefined && sinks.directs === null)) {
      report.note(place === undefined ? "channelsLeftOut" : "directsLeftOut");
      continue;
    }
    const root = direct === undefined || thread === null ? undefined : history.threads.get(thread)?.root;
    const message = { ...rest, replyTo: rest.replyTo ?? root ?? null };
    const ownThread = roots.get(messageId(message));
    const { kept, instead } = await keptFiles(message, history, sinks.files, report);
    const content = contentOf(
      message,
      paragraphs(message.content, lines(...instead)),
      kept,
      ownThread,
      report,
    );
    const parts = partsOf(message, place, ownThread, content, history, report);
    const { pinned = null } = message;
    if (pinned !== null && parts[0] !== undefined) {
      if (!pins.has(place)) pins.set(place, new Map());
      pins.get(place)!.set(parts[0].line.id, { at: pinned.at.toISOString(), by: userId(pinned.by) });
    }
    for (const { line, reactions, files } of parts) {
      const order = [
        place,
        String(message.at.getTime()).padStart(15, "0"),
        String(count++).padStart(15, "0"),
      ];
      await sorted.add(order.join(" "), JSON.stringify([line, files, ...reactions]));
    }
  }
  const newest = newestPins(pins, report);
  const directIds = new Set(directs.values());
  let seen = new Set<string>();
  let seenAt = "";
  for await (const item of sorted.read()) {
    const [message, files, ...reactions] = JSON.parse(item) as [
      Line<"message">,
      KeptFile[],
      ...Line<"reaction">[],
    ];
    if (message.createdAt !== seenAt) seen = new Set();
    seenAt = message.createdAt;
    if (seen.has(message.id)) {
      report.note("duplicates");
      continue;
    }
    seen.add(message.id);
    const pinned = newest.get(message.id);
    const line = pinned === undefined ? message : { ...message, pinned };
    if (directIds.has(line.channelId)) {
      await sinks.directs?.add({ line, reactions, files });
      continue;
    }
    await sinks.files?.add(message.id, files);
    yield line;
    yield* reactions;
    report.add("messages");
    report.add("reactions", reactions.length);
  }
  report.add("pins", newest.size);
}

function newestPins(
  pins: ReadonlyMap<string, ReadonlyMap<string, { at: string; by: string }>>,
  report: Report,
) {
  const kept = [...pins.values()].map((ofChannel) =>
    [...ofChannel].toSorted(([, a], [, b]) => (a.at < b.at ? 1 : -1)).slice(0, LIMITS.pinsPerChannel),
  );
  const all = [...pins.values()].reduce((sum, { size }) => sum + size, 0);
  report.note("oldPins", all - kept.flat().length);
  return new Map(kept.flat());
}

/** A message with too much text, or too many files, becomes several. */
function contentOf(
  { isDeleted }: HistoryMessage,
  text: string,
  files: readonly KeptFile[],
  ownThread: string | undefined,
  report: Report,
): Content {
  const content = text.toWellFormed().trim();
  if (content === "" && files.length === 0 && isDeleted !== true && ownThread === undefined) {
    report.note("emptyMessages");
    return { texts: [], files: [] };
  }
  if (isDeleted === true) return { texts: [""], files: [] };
  const shown = content === "" && files.length === 0 ? NO_TEXT : content;
  const perMessage = LIMITS.attachmentsPerMessage;
  return {
    texts: splitText(shown),
    files: Array.from({ length: Math.ceil(files.length / perMessage) }, (_, index) =>
      files.slice(index * perMessage, (index + 1) * perMessage),
    ),
  };
}

function partsOf(
  message: HistoryMessage,
  place: string,
  ownThread: string | undefined,
  { texts, files }: Content,
  { users }: History,
  report: Report,
): Part[] {
  const { key, at, isDeleted = false, editedAt = null, as = null, replyTo = null } = message;
  if (texts.length > 1) report.note("longMessages");
  const name = as === null ? "" : nameOf(LIMITS.nicknameMaxChars, "", as);
  const parts = Array.from({ length: Math.max(texts.length, files.length) }, (_, index): Part => {
    const isFirst = index === 0;
    const id = messageId(isFirst ? message : { ...message, key: `${key}\n${index}` });
    const line: Line<"message"> = {
      type: "message",
      id,
      channelId: place,
      authorId: userId(message.author),
      content: texts[index] ?? "",
      replyTo: replyTo !== null && isFirst ? messageId(replyTo) : null,
      createdAt: at.toISOString(),
      editedAt: editedAt?.toISOString() ?? null,
      deletedAt: isDeleted ? at.toISOString() : null,
      editCount: editedAt === null ? 0 : 1,
      ...(ownThread !== undefined && isFirst && { threadId: ownThread }),
      ...(name !== "" && { as: name }),
    };
    const reactions = isFirst && !isDeleted ? reactionLines(message, id, users, report) : [];
    return { line, reactions, files: files[index] ?? [] };
  });
  if (parts.every(({ line }) => GroupFileLineSchema.safeParse(line).success)) return parts;
  report.note("invalidMessages");
  return [];
}

function reactionLines(
  { reactions }: HistoryMessage,
  id: string,
  users: History["users"],
  report: Report,
): Line<"reaction">[] {
  const lines = new Map<string, Line<"reaction">>();
  const emojis = new Set<string>();
  for (const { emoji, users: by } of reactions) {
    const known = by.filter((key) => users.has(key));
    if (emojis.size >= LIMITS.reactionsPerMessage && !emojis.has(emoji)) {
      report.note("tooManyReactions", by.length);
      continue;
    }
    const made = known.map((key): Line<"reaction"> => ({
      type: "reaction",
      messageId: id,
      emoji,
      userId: userId(key),
    }));
    if (made.length === 0) continue;
    if (!GroupFileLineSchema.safeParse(made[0]).success) {
      report.note("noEmoji", by.length);
      continue;
    }
    emojis.add(emoji);
    for (const line of made) lines.set(`${emoji} ${line.userId}`, line);
  }
  return [...lines.values()];
}

/** Breaks at the end of a line or a word. A block of code continues as one. */
function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > LIMITS.messageMaxChars) {
    const start = rest.slice(0, LIMITS.messageMaxChars - FENCE.length - 1);
    const end = ["\n", " "].map((sign) => start.lastIndexOf(sign)).find((at) => at >= MIN_PART);
    const kept = end === undefined ? start.replace(/[\uD800-\uDBFF]$/, "") : start.slice(0, end);
    rest = rest.slice(kept.length).replace(/^[ \n]/, "");
    const isInCode = kept.split(FENCE).length % 2 === 0;
    parts.push(isInCode ? `${kept}\n${FENCE}` : kept);
    if (isInCode) rest = `${FENCE}\n${rest}`;
  }
  return [...parts, rest];
}
