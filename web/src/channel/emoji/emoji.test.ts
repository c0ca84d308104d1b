import { expect, test } from "vitest";
import { type EmojiIndex, findEmoji, searchEmoji } from "./emoji-index.ts";
import { parseRecent, withRecent } from "./emoji-popover.tsx";

const entry = (emoji: string, label: string, names: string[], tags: string[] = []) => ({
  emoji,
  label,
  names,
  tags,
  category: 0,
  version: 1,
});
const index: EmojiIndex = {
  emojis: [
    entry("😀", "grinning face", ["grinning"], ["smile"]),
    entry("😄", "grinning face with smiling eyes", ["smile"]),
    entry("🐱", "cat face", ["cat"]),
    entry("😺", "grinning cat", ["smiley_cat"]),
    entry("🫨", "shaking face", []),
  ],
};

test("ranks shortcodes before labels and labels before tags", () => {
  expect(searchEmoji(index, "smile", 8).map(({ emoji }) => emoji)).toEqual(["😄", "😺", "😀"]);
  expect(searchEmoji(index, "cat", 8).map(({ name }) => name)).toEqual(["cat", "smiley_cat"]);
  expect(searchEmoji(index, "gr", 1)).toEqual([{ emoji: "😀", name: "grinning", label: "grinning face" }]);
  expect(searchEmoji(index, "zebra", 8)).toEqual([]);
});

test("a shortcode must match exactly", () => {
  expect(findEmoji(index, "smile")).toBe("😄");
  expect(findEmoji(index, "smil")).toBeUndefined();
});

test("the latest emoji comes first, without duplicates, up to the limit", () => {
  const recent = withRecent(["🦊", "👍", "🦊"]);
  expect(recent.slice(0, 3)).toEqual(["🦊", "👍", "❤️"]);
  expect(recent).toHaveLength(16);
  expect(parseRecent(["🦊", 5, "x".repeat(100)])).toEqual(["🦊"]);
  expect(parseRecent("🦊")).toEqual([]);
});
