import { type FileUrl, groupRoom, LIMITS, type StoredFile } from "@fanfare/contract";
import { type Access, type Handlers, can, serviceError } from "@fanfare/kernel";
import { type FileUrls, picturePath, type Variant } from "@fanfare/files";
import type { FileDependencies } from "./file.dependencies.ts";
import type { FileDocument } from "./file.repository.ts";
import { presentFile } from "./file.presenter.ts";

export function downloadActions(dependencies: FileDependencies): Handlers {
  const { files, urls } = dependencies;
  return {
    "file.get": async ({ params: { fileId }, actor }) => {
      const { file } = await requireReadable(dependencies, fileId, actor.userId);
      return { file: presentFile(file) };
    },

    "file.listMine": async ({ params: { before, limit }, actor }) => {
      const page = await files.page(actor.userId, before, limit);
      const shown: StoredFile[] = page.filter(isThere).map(presentFile);
      const last = page.length < limit ? undefined : page.at(-1);
      return { files: shown, nextBefore: last?._id ?? null };
    },

    "file.delete": async ({ params: { fileId }, actor }) => {
      const { file, access } = await requireReadable(dependencies, fileId, actor.userId);
      if (!hasAccess(actor.userId, file, access, "manageMessages")) throw serviceError("FORBIDDEN");
      await dependencies.remover.remove(file);
      return {};
    },

    "file.getUrl": async ({ params: { fileId }, actor }) => {
      const { file, access } = await requireReadable(dependencies, fileId, actor.userId);
      return urlOf(dependencies.urls, file, access, Date.now());
    },

    "file.linkExported": async ({ params: { fileIds } }) => {
      const expiresAtMs = Date.now() + LIMITS.exportedFileUrlLifetimeMs;
      // Includes hidden files, which a legal hold keeps.
      const found = (await files.findMany(fileIds)).filter(({ nonce }) => nonce !== undefined);
      const links = found.map(({ _id: fileId, name, contentType, variants }) => ({
        fileId,
        path: urls.sign({
          fileId,
          variant: variants.includes("image") ? "image" : "raw",
          name,
          contentType,
          expiresAtMs,
        }),
      }));
      return { links };
    },

    /** For all files of a page of messages. */
    "file.getUrls": async ({ params: { channelId, fileIds }, access }) => {
      const found = await files.findMany([...new Set(fileIds)]);
      const attached = found.filter((file) => file.state === "attached" && file.channelId === channelId);
      const nowMs = Date.now();
      return { urls: attached.map((file) => urlOf(urls, file, access, nowMs)) };
    },
  };
}

/** @throws {ServiceError} FILE_NOT_FOUND, also for existing files that the user can't see */
async function requireReadable(
  { files, node }: Pick<FileDependencies, "files" | "node">,
  fileId: string,
  userId: string,
): Promise<{ file: FileDocument; access: Access | null }> {
  const file = await files.find(fileId);
  if (file === null || !isThere(file)) throw serviceError("FILE_NOT_FOUND");
  const { channelId } = file;
  const access = channelId === undefined ? null : await node.access.get(userId, { channelId });
  if (!hasAccess(userId, file, access, "view")) throw serviceError("FILE_NOT_FOUND");
  return { file, access };
}

function urlOf(urls: FileUrls, file: FileDocument, access: Access | null, nowMs: number): FileUrl {
  const fileId = file._id;
  const isPublic = access !== null && isOpen(access);
  const expiresAtMs = endOf(nowMs, isPublic ? LIMITS.fileUrlLifetimeMs : LIMITS.privateFileUrlLifetimeMs);
  const { name, contentType } = file;
  const sign = (variant: Variant, type: string): string =>
    urls.sign({ fileId, variant, name, contentType: type, expiresAtMs });
  const expiresAt = new Date(expiresAtMs).toISOString();
  if (file.pictureName !== undefined)
    return { fileId, url: picturePath(file.pictureName), thumbnailUrl: null, expiresAt };
  return {
    fileId,
    url: sign(file.variants.includes("image") ? "image" : "raw", contentType),
    thumbnailUrl: file.variants.includes("thumb") ? sign("thumb", "image/webp") : null,
    expiresAt,
  };
}

/** The same for all requests within half a lifetime, so that browsers can reuse their cached copy. */
function endOf(nowMs: number, lifetimeMs: number): number {
  const step = lifetimeMs / 2;
  return (Math.floor(nowMs / step) + 2) * step;
}

/** Whether users can see the file at all. */
export function isThere({ state }: Pick<FileDocument, "state">): boolean {
  return state === "unclaimed" || state === "attached" || state === "picture";
}

/** Whether it is the user's own, or attached to a message in a channel with this permission. */
function hasAccess(
  userId: string,
  { ownerId, state }: FileDocument,
  access: Access | null,
  permission: "view" | "manageMessages",
): boolean {
  return ownerId === userId || (state === "attached" && access !== null && can(access, permission));
}

/** Whether all members of the channel's group can see it. */
function isOpen({ groupId, rooms }: Pick<Access, "groupId" | "rooms">): boolean {
  return groupId !== null && rooms.includes(groupRoom(groupId));
}
