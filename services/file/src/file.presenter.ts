import type { Attachment, StoredFile } from "@fanfare/contract";
import type { FileDocument } from "./file.repository.ts";

export function presentAttachment(file: FileDocument): Attachment {
  const { _id, name, bytes, contentType, width = null, height = null, recording } = file;
  const isRecording = recording !== undefined && contentType.startsWith("audio/");
  return { fileId: _id, name, bytes, contentType, width, height, ...(isRecording && { recording }) };
}

/** Only for files that are complete and not being deleted. */
export function presentFile(file: FileDocument): StoredFile {
  return {
    ...presentAttachment(file),
    ownerId: file.ownerId,
    channelId: file.channelId ?? null,
    state: file.state as StoredFile["state"],
    createdAt: file.createdAt.toISOString(),
  };
}
