import type { Handler } from "@fanfare/kernel";
import { CLAIM_CHECKED_AFTER_MS } from "../bounds.ts";
import type { FileDependencies } from "../file.dependencies.ts";
import type { FileDocument } from "../file.repository.ts";
import { presentAttachment } from "../file.presenter.ts";

/** Repeatable, because a message that failed is sent again; what a claim without a message leaves is swept up. */
export function claim({ files }: FileDependencies): Handler<"file.claim"> {
  return async ({ params: { channelId, userId, nonce, ...params } }) => {
    const fileIds = [...new Set(params.fileIds)];
    const isTheirs = (file: FileDocument): boolean => file.ownerId === userId && file.channelId === channelId;
    const isClaimed = (file: FileDocument): boolean => file.state === "attached" && file.nonce === nonce;
    const before = await files.findMany(fileIds);
    const isFree = (file: FileDocument): boolean => file.state === "unclaimed" || isClaimed(file);
    if (before.length !== fileIds.length || !before.every((file) => isTheirs(file) && isFree(file)))
      return { attachments: null };
    await files.claim(fileIds, { nonce, dueAt: new Date(Date.now() + CLAIM_CHECKED_AFTER_MS) });
    // Another message may have been faster.
    const after = (await files.findMany(fileIds)).filter(isClaimed);
    if (after.length !== fileIds.length) return { attachments: null };
    const byId = new Map(after.map((file) => [file._id, presentAttachment(file)]));
    return { attachments: fileIds.map((id) => byId.get(id)!) };
  };
}

export function release({ files, remover }: FileDependencies): Handler<"file.release"> {
  return async ({ params: { channelId, fileIds } }) => {
    for (const file of await files.findMany(fileIds)) {
      if (file.state === "attached" && file.channelId === channelId) await remover.remove(file);
    }
    return {};
  };
}
