import { LIMITS, type FileUrl } from "@fanfare/contract";
import { picturePath, type FileUrls, type Variant } from "@fanfare/files";
import type { Access, Handler } from "@fanfare/kernel";
import type { FileDependencies } from "../file.dependencies.ts";
import type { FileDocument } from "../file.repository.ts";
import { isOpen } from "../file.policy.ts";
import { needReadable } from "./get.ts";

export function getUrl(dependencies: FileDependencies): Handler<"file.getUrl"> {
  return async ({ params: { fileId }, actor }) => {
    const { file, access } = await needReadable(dependencies, fileId, actor.userId);
    return urlOf(dependencies.urls, file, access, Date.now());
  };
}

/** Those of a page of messages at once. */
export function getUrls({ files, urls }: FileDependencies): Handler<"file.getUrls"> {
  return async ({ params: { channelId, fileIds }, access }) => {
    const found = await files.findMany([...new Set(fileIds)]);
    const attached = found.filter((file) => file.state === "attached" && file.channelId === channelId);
    const nowMs = Date.now();
    return { urls: attached.map((file) => urlOf(urls, file, access, nowMs)) };
  };
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

/** The same for everybody who asks within half a lifetime, so that a browser that asks again has it still. */
function endOf(nowMs: number, lifetimeMs: number): number {
  const step = lifetimeMs / 2;
  return (Math.floor(nowMs / step) + 2) * step;
}
