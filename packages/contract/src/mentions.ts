import { LIMITS } from "./limits.ts";

/** What a text mentions. Whether its author may is not decided here. */
export interface ParsedMentions {
  userIds: string[];
  roleIds: string[];
  /** @everyone or @here. */
  everyone: boolean;
}

/** A fence opens at the start of a line and closes at one of the same kind that is at least as long, or at the end of the text. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/**
 * Each alternative begins with a character of its own and has no nested repetition, so that a text is read once.
 * A mention of everybody is no part of a word or an address.
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
  // Most messages end here.
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

/** The runs of lines that are in no fenced block. */
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

/** The tokens that are in no code span: one begins with backticks and ends with as many. */
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

/** What a message is found by in somebody's inbox. */
export const mentionKey = {
  user: (userId: string): string => `u:${userId}`,
  role: (roleId: string): string => `r:${roleId}`,
  /** Everybody in a group, or in a channel that is in none. */
  all: (placeId: string): string => `all:${placeId}`,
};
