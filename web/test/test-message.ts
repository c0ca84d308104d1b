import type { Message } from "@fanfare/contract";

/** Somebody's message to try something with: of Ada in channel "c", unless told otherwise. */
export function testMessage(seq: number, parts: Partial<Message> = {}): Message {
  return {
    id: `m${seq}`,
    channelId: "c",
    seq,
    rev: seq,
    authorId: "ada",
    content: `text ${seq}`,
    replyTo: null,
    nonce: `n${seq}`,
    createdAt: "2026-03-01T10:00:00.000Z",
    editedAt: null,
    deletedAt: null,
    ...parts,
  };
}
