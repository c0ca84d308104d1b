import { expect, test } from "vitest";
import { emojiByName, mrkdwn } from "./index.ts";

test.each([
  ["tada", "🎉"],
  ["+1", "👍"],
  ["thumbsup::skin-tone-4", "👍🏽"],
  ["tada::skin-tone-4", "🎉"],
  ["wave::skin-tone-x", "👋"],
  ["heart", "❤️"],
  ["party_parrot", undefined],
  ["__proto__", undefined],
])("the emoji %s is %s", (name, emoji) => {
  expect(emojiByName(name)).toBe(emoji);
});

test("known references become markdown, the others keep their names", () => {
  const resolve = (target: string) => (target === "@U1" ? "**Ada**" : undefined);
  expect(mrkdwn("<@U1>, <@U2|grace> and `<@U1>`", { resolve })).toBe("**Ada**, @grace and `@U1`");
});
