import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import {
  editLastOwn,
  forgetConversations,
  getConversation,
  giveUp,
  sendAgain,
  sendMessage,
  setReplyTo,
} from "./conversation.ts";
import { testMessage } from "./test-message.ts";

const message = (id: string, authorId: string): Message => testMessage(1, { id, authorId });

test("what fails is kept with its options, until it is sent again or given up", async () => {
  const sent: unknown[] = [];
  let works = false;
  const view = {
    channelId: "c",
    send: (...params: unknown[]) => {
      sent.push(params);
      return works ? Promise.resolve() : Promise.reject(new Error("no"));
    },
  } as unknown as ChannelView;
  await sendMessage(view, "one", { replyTo: "m" });
  await sendMessage(view, "two");
  const [one, two] = getConversation("c").unsent;
  expect([one!.content, two!.content]).toEqual(["one", "two"]);
  giveUp("c", two!.id);
  works = true;
  await sendAgain(view, one!);
  expect(sent.at(-1)).toEqual(["one", { replyTo: "m" }]);
  expect(getConversation("c").unsent).toEqual([]);
});

test("the last own message that is still there is edited", () => {
  const webhook = { ...message("3", "me"), as: { name: "Builds", avatarUrl: null } };
  const gone = { ...message("4", "me"), deletedAt: "now" };
  const messages = [message("1", "me"), message("2", "ada"), webhook, gone];
  const view = { channelId: "d", snapshot: { messages } } as unknown as ChannelView;
  expect(editLastOwn(view, "me")).toBe(true);
  expect(getConversation("d").editingId).toBe("1");
  expect(editLastOwn(view, "nobody")).toBe(false);
});

test("nothing is left for who logs in next", () => {
  setReplyTo("e", message("1", "ada"));
  forgetConversations();
  expect(getConversation("e").replyTo).toBeNull();
});
