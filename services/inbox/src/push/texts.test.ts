import { type Locale, LOCALES, type Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import type { Reason } from "./candidates.ts";
import { appText, pushText } from "./texts.ts";

test("a sticker or GIF is shown by its name", () => {
  const authorId = "5".repeat(24);
  const names = new Map([[authorId, "Ada"]]);
  const bodyOf = (kind: "sticker" | "gif", locale: "en" | "zh") => {
    const message = { authorId, content: "Hooray", sticker: { id: authorId, kind } };
    return pushText(locale, "direct", message, names).body;
  };
  expect([bodyOf("sticker", "en"), bodyOf("gif", "en"), bodyOf("sticker", "zh")]).toEqual([
    "Sticker: Hooray",
    "GIF: Hooray",
    "贴纸：Hooray",
  ]);
});

test("a message that only has cards is shown by their texts", () => {
  const authorId = "5".repeat(24);
  const cards = [{ title: "Build 7", text: `For <@${authorId}>` }];
  const message = { authorId, content: "", cards };
  expect(pushText("en", "direct", message, new Map([[authorId, "Ada"]])).body).toBe("Build 7\nFor @Ada");
});

/** Texts with words that a language shares with English. */
const SAME: Partial<Record<Locale, string[]>> = {
  de: ["Sticker: Ada", "GIF: Ada"],
  es: ["Ada (webhook)", "Sticker: Ada", "GIF: Ada"],
  fr: ["Ada (webhook)"],
  pt: ["Ada (webhook)", "GIF: Ada"],
};

test.each(LOCALES.filter((locale) => locale !== "en"))("the texts in %s are not English", (locale) => {
  const authorId = "5".repeat(24);
  const names = new Map([[authorId, "Ada"]]);
  const textsIn = (language: Locale): string[] => {
    const text = (reason: Reason, content: string, more: Partial<Message> = {}) =>
      pushText(language, reason, { authorId, content, ...more }, names);
    const titles = (["mention", "keyword", "reminder"] as const).map((reason) => text(reason, "Hi").title);
    const bodies = ["", "@everyone", `<@&${authorId}>`].map((content) => text("direct", content).body);
    const stickers = (["sticker", "gif"] as const).map(
      (kind) => text("direct", "Ada", { sticker: { id: authorId, kind } }).body,
    );
    const webhook = text("direct", "Hi", { as: { name: "Ada", avatarUrl: null } }).title;
    const calls = [true, false].map((missed) => {
      const call = { durationSeconds: 60, participantUserIds: [authorId], missed };
      return text("direct", "", { call }).body;
    });
    const generic = appText(language, "generic", { title: "Ada", body: "Hi" }).title;
    return [...titles, ...bodies, webhook, ...stickers, ...calls, generic];
  };
  const [english, own] = [textsIn("en"), textsIn(locale)];
  expect(own.filter((text) => english.includes(text))).toEqual(SAME[locale] ?? []);
  const hasName = (text: string) => text.includes("Ada");
  expect(own.map(hasName)).toEqual(english.map(hasName));
});
