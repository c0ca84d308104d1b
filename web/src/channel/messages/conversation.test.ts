import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import {
  addUnsent,
  editedTexts,
  editLastOwn,
  clearConversations,
  getConversation,
  setEditing,
  setReplyTo,
} from "./conversation.ts";
import type { StoredMessage } from "./outbox-store.ts";
import { testMessage } from "../../../test/test-message.ts";

const message = (id: string, authorId: string): Message => testMessage(1, { id, authorId });

test("edits the newest own message that exists, unless a newer one is unsent", () => {
  const webhook = { ...message("3", "me"), as: { name: "Builds", avatarUrl: null } };
  const gone = { ...message("4", "me"), deletedAt: "now" };
  const messages = [message("1", "me"), message("2", "ada"), webhook, gone];
  const viewWith = (pending: object[]) =>
    ({ channelId: "d", snapshot: { messages, pending } }) as unknown as ChannelView;
  expect(editLastOwn(viewWith([{ nonce: "n", content: "newer" }]), "me")).toBe(false);
  expect(getConversation("d").editingId).toBeNull();
  expect(editLastOwn(viewWith([]), "someone else")).toBe(false);
  expect(editLastOwn(viewWith([]), "me")).toBe(true);
  expect(getConversation("d").editingId).toBe("1");
  const failed = { message: { nonce: "n", channelId: "d" } as StoredMessage, error: new Error("no") };
  addUnsent("d", failed);
  addUnsent("d", failed);
  expect(getConversation("d").unsent).toEqual([failed]);
  expect(editLastOwn(viewWith([]), "me")).toBe(false);
});

test("the changed text is dropped with the end of editing, and when another message is edited", () => {
  for (const next of [null, "2"]) {
    setEditing("f", "1");
    editedTexts.set("1", "changed");
    setEditing("f", "1");
    expect(editedTexts.get("1")).toBe("changed");
    setEditing("f", next);
    expect(editedTexts.size).toBe(0);
  }
});

test("is cleared for the next user", () => {
  setReplyTo("e", message("1", "ada"));
  editedTexts.set("1", "private");
  clearConversations();
  expect(editedTexts.size).toBe(0);
  expect(getConversation("e").replyTo).toBeNull();
});
