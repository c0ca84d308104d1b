import type { Message } from "@fanfare/contract";
import { documentId } from "./document-id.ts";
import type { MessageDocument } from "./message.model.ts";

/** The only way of a stored message to the outside. */
export function presentMessage(message: MessageDocument): Message {
  return {
    id: documentId(message),
    channelId: message.channelId.toHexString(),
    seq: message.seq,
    rev: message.rev,
    authorId: message.authorId.toHexString(),
    content: message.content,
    replyTo: message.replyTo?.toHexString() ?? null,
    nonce: message.nonce,
    createdAt: message.createdAt.toISOString(),
    editedAt: message.editedAt?.toISOString() ?? null,
    deletedAt: message.deletedAt?.toISOString() ?? null,
  };
}
