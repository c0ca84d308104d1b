import { LIMITS } from "@fanfare/contract/limits";
import { expect, test } from "vitest";
import { emojiNameOf, stickerNameOf } from "./add-emoji.ts";

test.each([
  ["parrot.png", "parrot"],
  ["birds/green/parrot.png", "parrot"],
  ["Party Parrot (1).GIF", "party_parrot_1"],
  ["Café.au-lait.webp", "cafe_au-lait"],
  ["__ok__.png", "ok"],
  ["no-extension", "no-extension"],
  [`${"long".repeat(20)}.png`, "long".repeat(8)],
])("the file %j becomes :%s:", (fileName, name) => {
  expect(emojiNameOf(fileName)).toBe(name);
});

test.each(["a.png", "表情.png", ".png", "___.png"])("the file %j has no name for an emoji", (fileName) => {
  expect(emojiNameOf(fileName)).toBeNull();
});

test.each([
  ["funny/party_parrot.gif", "party parrot"],
  ["加油！.webp", "加油！"],
  [`${"long".repeat(40)}.png`, "long".repeat(LIMITS.stickerNameMaxChars / 4)],
  ["___.png", null],
])("the file %j becomes the sticker %j", (fileName, name) => {
  expect(stickerNameOf(fileName)).toBe(name);
});
