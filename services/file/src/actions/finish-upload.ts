import { Readable } from "node:stream";
import { LIMITS } from "@fanfare/contract";
import { storageKey, type FileStorage } from "@fanfare/files";
import { serviceError, withoutDeadline, type Handler } from "@fanfare/kernel";
import { IMAGE_MAX_BYTES, SNIFFED_BYTES } from "../bounds.ts";
import type { FileDependencies } from "../file.dependencies.ts";
import type { FileDocument } from "../file.repository.ts";
import { withExtension } from "../file-name.ts";
import { presentFile } from "../file.presenter.ts";
import { drawImage, DRAWN_TYPES } from "../images.ts";
import { ownersOf } from "../quotas.ts";
import { readBytes } from "../read-bytes.ts";
import { sniff } from "../sniff.ts";

type Found = Pick<FileDocument, "name" | "bytes" | "contentType" | "width" | "height" | "variants">;

export function finishUpload(dependencies: FileDependencies): Handler<"file.finishUpload"> {
  const { files, quotas, remover } = dependencies;
  return async ({ params: { fileId } }) => {
    const file = await files.find(fileId);
    if (file === null || file.state !== "uploading") throw serviceError("FILE_NOT_FOUND");
    try {
      const found = await look(dependencies, file);
      const dueAt = new Date(Date.now() + LIMITS.unclaimedFileLifetimeMs);
      const finished = await withoutDeadline(async () => {
        const changed = await files.change(fileId, ["uploading"], { ...found, state: "unclaimed", dueAt });
        if (changed !== null) await quotas.add(ownersOf(file), found.bytes - file.bytes);
        return changed;
      });
      if (finished === null) throw serviceError("FILE_NOT_FOUND");
      return { file: presentFile(finished) };
    } catch (error) {
      await withoutDeadline(() => remover.remove(file));
      throw error;
    }
  };
}

export function abortUpload({ files, remover }: FileDependencies): Handler<"file.abortUpload"> {
  return async ({ params: { fileId } }) => {
    const file = await files.find(fileId);
    // Unclaimed too: whoever uploads may have given up waiting for the answer.
    if (file?.state === "uploading" || file?.state === "unclaimed") await remover.remove(file);
    return {};
  };
}

/** What the bytes are, whatever their sender says of them. */
async function look({ storage: opening, images }: FileDependencies, file: FileDocument): Promise<Found> {
  const storage = await opening;
  const fileId = file._id;
  const raw = storageKey(fileId, "raw");
  const head = await readBytes(storage, raw, { start: 0, end: Math.min(SNIFFED_BYTES, file.bytes) - 1 });
  if (head === null) throw serviceError("FILE_NOT_FOUND");
  const contentType = await sniff(head);
  const { name, bytes, channelId } = file;
  // A picture of a profile is drawn when it is used.
  if (!DRAWN_TYPES.has(contentType) || channelId === undefined) {
    if (channelId === undefined && !DRAWN_TYPES.has(contentType)) throw serviceError("IMAGE_REFUSED");
    return { name, bytes, contentType, variants: ["raw"] };
  }
  if (bytes > IMAGE_MAX_BYTES) throw serviceError("IMAGE_REFUSED");
  const drawn = await images.run(async () => {
    const original = await readBytes(storage, raw);
    if (original === null) throw serviceError("FILE_NOT_FOUND");
    return drawImage(original);
  });
  await put(storage, storageKey(fileId, "image"), drawn.image);
  await put(storage, storageKey(fileId, "thumb"), drawn.thumb);
  await storage.delete(raw);
  return {
    name: drawn.contentType === contentType ? name : withExtension(name, drawn.extension),
    bytes: drawn.image.length,
    contentType: drawn.contentType,
    width: drawn.width,
    height: drawn.height,
    variants: ["image", "thumb"],
  };
}

async function put(storage: FileStorage, key: string, bytes: Buffer): Promise<void> {
  await storage.put(key, Readable.from([bytes]), bytes.length);
}
