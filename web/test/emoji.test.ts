import { ACTIONS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { readEmojiIndex } from "../build/emoji-data.ts";

test.each(["en", "zh"])("each emoji of the picker can be a reaction (%s)", (language) => {
  const { emojis } = readEmojiIndex(language);
  const choices = emojis.flatMap(({ emoji, skins = {} }) => [emoji, ...Object.values(skins)]);
  const refused = choices.filter(
    (emoji) => !ACTIONS["message.react"].params.shape.emoji.safeParse(emoji).success,
  );
  expect(choices.length).toBeGreaterThan(1000);
  expect(refused).toEqual([]);
});
