import type { Message } from "@fanfare/contract";

/** A message by Ada in channel "c", unless `parts` says otherwise. */
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
