import type { Attachment, StoredFile } from "@fanfare/contract";
import type { FileDocument } from "./file.model.ts";

export function presentAttachment(file: FileDocument): Attachment {
  const { _id, name, bytes, contentType, width = null, height = null } = file;
  return { fileId: _id.toHexString(), name, bytes, contentType, width, height };
}

/** Only of a file that is whole and not about to go. */
export function presentFile(file: FileDocument): StoredFile {
  return {
    ...presentAttachment(file),
    ownerId: file.ownerId.toHexString(),
    channelId: file.channelId?.toHexString() ?? null,
    state: file.state as StoredFile["state"],
    createdAt: file.createdAt.toISOString(),
  };
}
