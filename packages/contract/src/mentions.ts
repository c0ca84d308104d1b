import { LIMITS } from "./limits.ts";

/** The mentions in a text, regardless of its author's permissions. */
export interface ParsedMentions {
  userIds: string[];
  roleIds: string[];
  /** @everyone or @here. */
  everyone: boolean;
}

/** A fence opens at the start of a line without further backticks and closes at one of the same kind that is at least as long, or at the end of the text. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/**
 * Each alternative starts with a different character and has no nested repetition, so that matching takes linear time.
 * @everyone inside a word or an email address is not a mention.
 */
const TOKEN = /\\[\s\S]|(`+)|<@(&?)([0-9a-f]{24})>|(?<![\w@.])@(?:everyone|here)(?![\w@])/g;

/**
 * The mentions of a markdown text: `<@userId>`, `<@&roleId>`, `@everyone` and `@here`, outside code, not behind a backslash,
 * each once and in the order of the text; the first `LIMITS.mentionsPerMessage`.
 */
export function parseMentions(content: string): ParsedMentions {
  const userIds = new Set<string>();
  const roleIds = new Set<string>();
  let everyone = false;
  // The fast path of most messages.
  if (!content.includes("@")) return { userIds: [], roleIds: [], everyone };
  let left: number = LIMITS.mentionsPerMessage;
  for (const text of outsideFences(content)) {
    for (const [token, , role, id] of outsideCode(text)) {
      if (left === 0) break;
      left -= 1;
      if (id === undefined) everyone ||= token.startsWith("@");
      else (role === "&" ? roleIds : userIds).add(id);
    }
  }
  return { userIds: [...userIds], roleIds: [...roleIds], everyone };
}

/** The parts of a text outside fenced code blocks. */
function outsideFences(content: string): string[] {
  if (!content.includes("```") && !content.includes("~~~")) return [content];
  const runs: string[] = [];
  let run: string[] = [];
  let open: string | null = null;
  for (const line of content.split("\n")) {
    const fence = FENCE.exec(line)?.[1];
    if (open === null && fence !== undefined) {
      open = fence;
      runs.push(run.join("\n"));
      run = [];
    } else if (open === null) {
      run.push(line);
    } else if (fence?.startsWith(open) === true && line.trim() === fence) {
      open = null;
    }
  }
  return [...runs, run.join("\n")];
}

/** The tokens outside code spans: a span starts with backticks and ends with as many. */
function* outsideCode(text: string): Generator<RegExpExecArray> {
  const spans = new Map<number, number[]>();
  for (const { 0: ticks, index } of text.matchAll(/`+/g)) {
    const places = spans.get(ticks.length);
    if (places === undefined) spans.set(ticks.length, [index]);
    else places.push(index);
  }
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const ticks = match[1];
    if (ticks !== undefined) {
      const places = spans.get(ticks.length) ?? [];
      while (places.length > 0 && places[0]! <= match.index) places.shift();
      if (places.length > 0) token.lastIndex = places[0]! + ticks.length;
    } else if (!match[0].startsWith("\\")) {
      yield match;
    }
  }
}

/** The keys that inbox lookups find a message by. */
export const mentionKey = {
  user: (userId: string): string => `u:${userId}`,
  role: (roleId: string): string => `r:${roleId}`,
  /** All members of a group, or of a channel outside groups. */
  all: (placeId: string): string => `all:${placeId}`,
};
