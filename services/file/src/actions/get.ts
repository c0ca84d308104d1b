import type { StoredFile } from "@fanfare/contract";
import { serviceError, type Access, type Handler, type NodeContext } from "@fanfare/kernel";
import type { FileDependencies } from "../file.dependencies.ts";
import type { FileDocument } from "../file.repository.ts";
import { isThere, mayDelete, mayRead } from "../file.policy.ts";
import { presentFile } from "../file.presenter.ts";

export function get(dependencies: FileDependencies): Handler<"file.get"> {
  return async ({ params: { fileId }, actor }) => {
    const { file } = await needReadable(dependencies, fileId, actor.userId);
    return { file: presentFile(file) };
  };
}

export function listMine({ files }: FileDependencies): Handler<"file.listMine"> {
  return async ({ params: { before, limit }, actor }) => {
    const page = await files.page(actor.userId, before, limit);
    const shown: StoredFile[] = page.filter(isThere).map(presentFile);
    const last = page.length < limit ? undefined : page.at(-1);
    return { files: shown, nextBefore: last?._id ?? null };
  };
}

export function remove(dependencies: FileDependencies): Handler<"file.delete"> {
  return async ({ params: { fileId }, actor }) => {
    const { file, access } = await needReadable(dependencies, fileId, actor.userId);
    if (!mayDelete(actor.userId, file, access)) throw serviceError("FORBIDDEN");
    await dependencies.remover.remove(file);
    return {};
  };
}

/** @throws {ServiceError} FILE_NOT_FOUND also where there is one that this user must not know of */
export async function needReadable(
  { files, node }: Pick<FileDependencies, "files" | "node">,
  fileId: string,
  userId: string,
): Promise<{ file: FileDocument; access: Access | null }> {
  const file = await files.find(fileId);
  if (file === null || !isThere(file)) throw serviceError("FILE_NOT_FOUND");
  const access = await accessTo(node, file, userId);
  if (!mayRead(userId, file, access)) throw serviceError("FILE_NOT_FOUND");
  return { file, access };
}

async function accessTo(
  { access }: Pick<NodeContext, "access">,
  { channelId }: FileDocument,
  userId: string,
): Promise<Access | null> {
  return channelId === undefined ? null : access.get(userId, { channelId: channelId });
}
