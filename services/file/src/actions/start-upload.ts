import { LIMITS } from "@fanfare/contract";
import { newId, serviceError, type Actor, type Handler } from "@fanfare/kernel";
import type { FileDependencies } from "../file.dependencies.ts";
import type { FileDocument } from "../file.repository.ts";
import { safeFileName } from "../file-name.ts";
import { ownersOf } from "../quotas.ts";
import { UNKNOWN_TYPE } from "../sniff.ts";

interface Start {
  actor: Actor;
  name: string;
  bytes: number;
  maxBytes: number;
  channelId?: string;
  groupId?: string | null;
}

export function startUpload(dependencies: FileDependencies): Handler<"file.startUpload"> {
  return async ({ params: { channelId, name, bytes }, actor, access: { groupId, mutedUntilMs } }) => {
    if (mutedUntilMs > Date.now())
      throw serviceError("MUTED", { mutedUntil: new Date(mutedUntilMs).toISOString() });
    const maxBytes = dependencies.node.config.fileMaxBytes;
    return start(dependencies, { actor, name, bytes, maxBytes, channelId, groupId });
  };
}

export function startPicture(dependencies: FileDependencies): Handler<"file.startPicture"> {
  return async ({ params: { bytes }, actor }) => {
    const maxBytes = Math.min(dependencies.node.config.fileMaxBytes, LIMITS.pictureMaxBytes);
    return start(dependencies, { actor, name: "picture", bytes, maxBytes });
  };
}

/** Notes the file before anything of it comes, so that whatever becomes of the upload, its bytes are found again. */
async function start(
  { files, quotas }: FileDependencies,
  { actor, name, bytes, maxBytes, channelId, groupId }: Start,
): Promise<{ fileId: string }> {
  if (bytes > maxBytes) throw serviceError("FILE_TOO_LARGE", { maxBytes });
  const max = LIMITS.uploadsPerUser;
  if ((await files.count(actor.userId, "uploading", max)) >= max)
    throw serviceError("LIMIT_REACHED", { limit: "uploadsPerUser", max });
  const now = new Date();
  const file: FileDocument = {
    _id: newId(),
    ownerId: actor.userId,
    ...(channelId !== undefined && { channelId }),
    ...(typeof groupId === "string" && { groupId }),
    name: safeFileName(name),
    bytes,
    contentType: UNKNOWN_TYPE,
    variants: [],
    state: "uploading",
    createdAt: now,
    dueAt: new Date(now.getTime() + LIMITS.uploadLifetimeMs),
  };
  await quotas.take(ownersOf(file), bytes, actor.kind);
  await files.insert(file).catch(async (error: unknown) => {
    await quotas.add(ownersOf(file), -bytes);
    throw error;
  });
  return { fileId: file._id };
}
