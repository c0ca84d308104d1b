import type { Attachment } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { Send } from "./sender.ts";

/**
 * Makes the files of a message its attachments. Repeatable, and the last thing before it is written: files that are claimed for a
 * message that is never written are deleted after a while.
 * @throws {ServiceError} VALIDATION_FAILED for what is no file of the sender's for this channel, or in another message already
 */
export async function claimAttachments({
  attachmentIds: fileIds = [],
  call,
  channelId,
  authorId: userId,
  nonce,
}: Send): Promise<Attachment[] | undefined> {
  if (fileIds.length === 0 || call === null) return undefined;
  const { attachments } = await call("file.claim", { fileIds: [...fileIds], channelId, userId, nonce });
  if (attachments !== null) return attachments;
  throw serviceError("VALIDATION_FAILED", {
    issues: [{ path: "attachmentIds", message: "there is no such file of yours for this channel" }],
  });
}
