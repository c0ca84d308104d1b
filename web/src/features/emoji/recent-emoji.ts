import { create } from "zustand";
import { loadStored, saveStored } from "../../state/stored.ts";

const KEY = "fanfare.recentEmoji";
const MAX_RECENT = 16;
/** What people use most, for who has used none yet. */
const FIRST = [
  "👍",
  "❤️",
  "😂",
  "🎉",
  "😮",
  "🙏",
  "👀",
  "✅",
  "🔥",
  "😢",
  "💯",
  "🚀",
  "👏",
  "🤔",
  "😍",
  "👋",
];

/** The emoji that were picked last in this browser, the last one first; filled up with what is used most. */
export const useRecentEmoji = create<{ emoji: readonly string[] }>(() => ({
  emoji: withRecent(parseRecent(loadStored(KEY))),
}));

export function rememberEmoji(emoji: string): void {
  const recent = withRecent([emoji, ...useRecentEmoji.getState().emoji]);
  useRecentEmoji.setState({ emoji: recent });
  saveStored(KEY, recent);
}

export function withRecent(emoji: readonly string[]): readonly string[] {
  return [...new Set([...emoji, ...FIRST])].slice(0, MAX_RECENT);
}

export function parseRecent(stored: unknown): readonly string[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((emoji): emoji is string => typeof emoji === "string" && emoji.length <= 32);
}
