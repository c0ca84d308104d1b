import type { Attachment } from "@fanfare/contract";
import { may, serviceError, type Access } from "@fanfare/kernel";

/**
 * The files that a message is to have.
 * @throws {ServiceError} FORBIDDEN for who may not attach files here; VALIDATION_FAILED for what is no file of the sender's
 */
export function claimAttachments(fileIds: readonly string[], access: Access): Attachment[] | undefined {
  if (fileIds.length === 0) return undefined;
  if (!may(access, "attachFiles")) throw serviceError("FORBIDDEN");
  throw serviceError("VALIDATION_FAILED", {
    issues: [{ path: "attachmentIds", message: "there is no such file of yours for this channel" }],
  });
}
