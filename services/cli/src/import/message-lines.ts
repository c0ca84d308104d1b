import { type GroupFileContent, type GroupFileLineOf, GroupFileLineSchema, LIMITS } from "@fanfare/contract";
import { type History, type HistoryMessage, idOf, type MessageRef, nameOf, userId } from "./history.ts";
import type { Report } from "./report.ts";
import { SortedItems } from "./sorted-items.ts";

/** A message that other messages refer to. */
const NO_TEXT = "…";
const FENCE = "```";
/** A break at the end of a line isn't worth shorter messages than this. */
const MIN_PART = LIMITS.messageMaxChars / 2;

export type Line<T extends GroupFileContent["type"]> = GroupFileLineOf<T>;
interface Part {
  line: Line<"message">;
  reactions: Line<"reaction">[];
}

export const messageId = ({ channel, key, at }: MessageRef): string =>
  idOf("message", `${channel}\n${key}`, at);

interface Places {
  places: ReadonlyMap<string, string>;
  threads: ReadonlyMap<string, Line<"channel">>;
}

/** Messages by place and time, each with its reactions. */
export async function* messageLines(
  history: History,
  { places, threads }: Places,
  report: Report,
  folder: string,
): AsyncGenerator<GroupFileContent> {
  const roots = new Map([...threads.values()].map(({ id, thread }) => [thread!.rootMessageId, id]));
  const sorted = new SortedItems(folder);
  const pins = new Map<string, Map<string, { at: string; by: string }>>();
  let count = 0;
  for await (const message of history.messages()) {
    const place = message.thread === null ? places.get(message.channel) : threads.get(message.thread)?.id;
    if (place === undefined) {
      report.note("messages of channels that were left out", "see above");
      continue;
    }
    const parts = partsOf(message, place, roots.get(messageId(message)), history, report);
    const { pinned } = message;
    if (pinned !== null && parts[0] !== undefined) {
      if (!pins.has(place)) pins.set(place, new Map());
      pins.get(place)!.set(parts[0].line.id, { at: pinned.at.toISOString(), by: userId(pinned.by) });
    }
    for (const { line, reactions } of parts) {
      const order = [
        place,
        String(message.at.getTime()).padStart(15, "0"),
        String(count++).padStart(15, "0"),
      ];
      await sorted.add(order.join(" "), JSON.stringify([line, ...reactions]));
    }
  }
  const kept = newestPins(pins, report);
  let seen = new Set<string>();
  let seenAt = "";
  for await (const item of sorted.read()) {
    const [message, ...reactions] = JSON.parse(item) as [Line<"message">, ...Line<"reaction">[]];
    if (message.createdAt !== seenAt) seen = new Set();
    seenAt = message.createdAt;
    if (seen.has(message.id)) {
      report.note("messages that the export has twice", "each was imported once");
      continue;
    }
    seen.add(message.id);
    const pinned = kept.get(message.id);
    yield pinned === undefined ? message : { ...message, pinned };
    yield* reactions;
    report.add("messages");
    report.add("reactions", reactions.length);
  }
  report.add("pins", kept.size);
}

function newestPins(
  pins: ReadonlyMap<string, ReadonlyMap<string, { at: string; by: string }>>,
  report: Report,
) {
  const kept = [...pins.values()].map((ofChannel) =>
    [...ofChannel].toSorted(([, a], [, b]) => (a.at < b.at ? 1 : -1)).slice(0, LIMITS.pinsPerChannel),
  );
  const all = [...pins.values()].reduce((sum, { size }) => sum + size, 0);
  report.note("older pins", `a channel has at most ${LIMITS.pinsPerChannel}`, all - kept.flat().length);
  return new Map(kept.flat());
}

/** A message that is too long becomes several. */
function partsOf(
  message: HistoryMessage,
  place: string,
  ownThread: string | undefined,
  { users }: History,
  report: Report,
): Part[] {
  const { key, at, isDeleted, editedAt, as, replyTo } = message;
  const content = message.content.toWellFormed().trim();
  if (content === "" && !isDeleted && ownThread === undefined) {
    report.note("empty messages", "they have no text, file or link");
    return [];
  }
  const texts = isDeleted ? [""] : splitText(content === "" ? NO_TEXT : content);
  if (texts.length > 1)
    report.note("long messages", `split into messages of at most ${LIMITS.messageMaxChars} characters`);
  const name = as === null ? "" : nameOf(LIMITS.nicknameMaxChars, "", as);
  const parts = texts.map((text, index): Part => {
    const isFirst = index === 0;
    const id = messageId(isFirst ? message : { ...message, key: `${key}\n${index}` });
    const line: Line<"message"> = {
      type: "message",
      id,
      channelId: place,
      authorId: userId(message.author),
      content: text,
      replyTo: replyTo !== null && isFirst ? messageId(replyTo) : null,
      createdAt: at.toISOString(),
      editedAt: editedAt?.toISOString() ?? null,
      deletedAt: isDeleted ? at.toISOString() : null,
      editCount: editedAt === null ? 0 : 1,
      ...(ownThread !== undefined && isFirst && { threadId: ownThread }),
      ...(name !== "" && { as: name }),
    };
    return { line, reactions: isFirst && !isDeleted ? reactionLines(message, id, users, report) : [] };
  });
  if (parts.every(({ line }) => GroupFileLineSchema.safeParse(line).success)) return parts;
  report.note("messages", "they have values that cannot be stored");
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
      report.note(
        "reactions over the limit",
        `a message has at most ${LIMITS.reactionsPerMessage} different ones`,
        by.length,
      );
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
      report.note(
        "reactions that are not emoji",
        "the name of an own emoji has 2-32 of a-z, 0-9, '_' and '-'",
        by.length,
      );
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
