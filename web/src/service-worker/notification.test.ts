import { expect, test } from "vitest";
import { notificationOf } from "./notification.ts";

const id = (digit: string) => digit.repeat(24);
const pushed = {
  title: "Ada mentioned you",
  body: "Hello",
  channelId: id("c"),
  groupId: id("a"),
  messageId: id("e"),
};

test("a click opens the message", () => {
  expect(notificationOf(pushed)).toEqual({
    title: "Ada mentioned you",
    body: "Hello",
    tag: id("c"),
    path: `/groups/${id("a")}/channels/${id("c")}?message=${id("e")}`,
  });
  expect(notificationOf({ ...pushed, groupId: null }).path).toBe(`/direct/${id("c")}?message=${id("e")}`);
});

test("an invalid payload only opens the home page", () => {
  for (const odd of [null, "x", {}, { ...pushed, channelId: "//evil.example" }, { ...pushed, groupId: 1 }]) {
    expect(notificationOf(odd)).toMatchObject({ title: "Fanfare", path: "/" });
  }
});
