import type { Message } from "@fanfare/contract";
import { documentId } from "./document-id.ts";
import type { MessageDocument } from "./message.model.ts";

/** The only way of a stored message to the outside. */
export function presentMessage(message: MessageDocument): Message {
  const { mentions, reactions, pinnedAt, pinnedBy, threadId, attachments, embeds, as } = message;
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
    ...(mentions !== undefined && { mentions }),
    ...(reactions !== undefined && { reactions }),
    ...(pinnedAt !== undefined && { pinnedAt: pinnedAt.toISOString() }),
    ...(pinnedBy !== undefined && { pinnedBy: pinnedBy.toHexString() }),
    ...(threadId !== undefined && { threadId: threadId.toHexString() }),
    ...(attachments !== undefined && { attachments }),
    ...(embeds !== undefined && { embeds }),
    ...(as !== undefined && { as }),
  };
}
