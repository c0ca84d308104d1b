import { Readable } from "node:stream";
import { LIMITS, type Recording } from "@fanfare/contract";
import {
  assertNotMuted,
  type Actor,
  assertBelow,
  can,
  type Handlers,
  newId,
  orThrow,
  serviceError,
  withoutDeadline,
} from "@fanfare/kernel";
import { type FileStorage, storageKey } from "@fanfare/files";
import { fileTypeFromBuffer } from "file-type";
import type { FileDependencies } from "./file.dependencies.ts";
import type { FileDocument } from "./file.repository.ts";
import { ownersOf } from "./quotas.ts";
import { CLAIM_CHECK_DELAY_MS, IMAGE_MAX_BYTES, SNIFFED_BYTES } from "./constants.ts";
import { presentAttachment, presentFile } from "./file.presenter.ts";
import { drawImage, DRAWN_TYPES, drawStored, readBytes } from "./images.ts";

interface Start {
  actor: Pick<Actor, "userId" | "kind">;
  name: string;
  bytes: number;
  maxBytes: number;
  channelId?: string;
  groupId?: string | null;
  recording?: Recording | undefined;
}

type Found = Pick<FileDocument, "name" | "bytes" | "contentType" | "width" | "height" | "variants">;

export const UNKNOWN_TYPE = "application/octet-stream";
/** Containers of both sound and pictures: their type doesn't say which of them they have. */
const CONTAINER = /^(?:audio|video)\/(?:x-)?(m4a|mp4|ogg|webm)$/;
/** Types that could run in a browser; they are served as unknown. */
const ACTIVE = /html|xml|svg|javascript|ecmascript|xsl|wasm/;

export function uploadActions(dependencies: FileDependencies): Handlers {
  const { files, quotas, remover } = dependencies;
  return {
    "file.startUpload": async ({ params: { channelId, name, bytes, durationMs, peaks }, actor, access }) => {
      assertNotMuted(access);
      const { groupId } = access;
      const maxBytes = dependencies.node.config.fileMaxBytes;
      const recording = durationMs === undefined || peaks === undefined ? undefined : { durationMs, peaks };
      return start(dependencies, { actor, name, bytes, maxBytes, channelId, groupId, recording });
    },

    "file.startUploadFor": async ({ params: { userId, channelId, name, bytes } }) => {
      const { node } = dependencies;
      const access = await node.access.get(userId, { channelId });
      if (!can(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
      if (!can(access, "attachFiles")) throw serviceError("FORBIDDEN");
      assertNotMuted(access);
      const { kind } = await node.services.user.isActive({ userId });
      return start(dependencies, {
        actor: { userId, kind: orThrow(kind, "FORBIDDEN") },
        name,
        bytes,
        maxBytes: node.config.fileMaxBytes,
        channelId,
        groupId: access.groupId,
      });
    },

    "file.startPicture": async ({ params: { bytes }, actor }) => {
      const maxBytes = Math.min(dependencies.node.config.fileMaxBytes, LIMITS.pictureMaxBytes);
      return start(dependencies, { actor, name: "picture", bytes, maxBytes });
    },

    "file.finishUpload": async ({ params: { fileId } }) => {
      const file = await files.find(fileId);
      if (file === null || file.state !== "uploading") throw serviceError("FILE_NOT_FOUND");
      try {
        const found = await inspect(dependencies, file);
        const dueAt = new Date(Date.now() + LIMITS.unclaimedFileLifetimeMs);
        const finished = await withoutDeadline(async () => {
          const changed = await files.change(fileId, ["uploading"], { ...found, state: "unclaimed", dueAt });
          if (changed !== null) await quotas.add(ownersOf(file), found.bytes - file.bytes);
          return changed;
        });
        return { file: presentFile(orThrow(finished, "FILE_NOT_FOUND")) };
      } catch (error) {
        await withoutDeadline(() => remover.remove(file));
        throw error;
      }
    },

    "file.abortUpload": async ({ params: { fileId } }) => {
      const file = await files.find(fileId);
      // Unclaimed too: the uploader may have timed out waiting for the response.
      if (file?.state === "uploading" || file?.state === "unclaimed") await remover.remove(file);
      return {};
    },

    /** Idempotent, because a failed message is sent again. Claims without a message are removed by the sweep. */
    "file.claim": async ({ params: { channelId, userId, nonce, ...params } }) => {
      const fileIds = [...new Set(params.fileIds)];
      const isTheirs = (file: FileDocument): boolean =>
        file.ownerId === userId && file.channelId === channelId;
      const isClaimed = (file: FileDocument): boolean => file.state === "attached" && file.nonce === nonce;
      const before = await files.findMany(fileIds);
      const isFree = (file: FileDocument): boolean => file.state === "unclaimed" || isClaimed(file);
      if (before.length !== fileIds.length || !before.every((file) => isTheirs(file) && isFree(file)))
        return { attachments: null };
      await files.claim(fileIds, { nonce, dueAt: new Date(Date.now() + CLAIM_CHECK_DELAY_MS) });
      // A concurrent message may have claimed them first.
      const after = (await files.findMany(fileIds)).filter(isClaimed);
      if (after.length !== fileIds.length) return { attachments: null };
      const byId = new Map(after.map((file) => [file._id, presentAttachment(file)]));
      return { attachments: fileIds.map((id) => byId.get(id)!) };
    },

    "file.release": async ({ params: { channelId, fileIds } }) => {
      for (const file of await files.findMany(fileIds)) {
        if (file.state === "attached" && file.channelId === channelId) await remover.remove(file);
      }
      return {};
    },
  };
}

/** Stores the document before the upload begins, so that its bytes can always be found again. */
async function start(
  { files, quotas }: FileDependencies,
  { actor, name, bytes, maxBytes, channelId, groupId, recording }: Start,
): Promise<{ fileId: string }> {
  if (bytes > maxBytes) throw serviceError("FILE_TOO_LARGE", { maxBytes });
  assertBelow("uploadsPerUser", await files.count(actor.userId, "uploading", LIMITS.uploadsPerUser));
  const now = new Date();
  const file: FileDocument = {
    _id: newId(),
    ownerId: actor.userId,
    ...(channelId !== undefined && { channelId }),
    ...(typeof groupId === "string" && { groupId }),
    name: safeFileName(name),
    bytes,
    contentType: UNKNOWN_TYPE,
    ...(recording !== undefined && { recording }),
    variants: [],
    state: "uploading",
    createdAt: now,
    dueAt: new Date(now.getTime() + LIMITS.uploadLifetimeMs),
  };
  await quotas.take(ownersOf(file), bytes, actor.kind);
  await files.insert(file).catch(async (error: unknown) => {
    await quotas.giveBack(ownersOf(file), bytes);
    throw error;
  });
  return { fileId: file._id };
}

/** Detects the type from the contents, regardless of what the client says. */
export async function inspect(
  dependencies: Pick<FileDependencies, "storage" | "images">,
  file: FileDocument,
): Promise<Found> {
  const storage = await dependencies.storage;
  const fileId = file._id;
  const raw = storageKey(fileId, "raw");
  const head = await readBytes(storage, raw, { start: 0, end: Math.min(SNIFFED_BYTES, file.bytes) - 1 });
  if (head === null) throw serviceError("FILE_NOT_FOUND");
  const contentType = await sniff(head, file.recording !== undefined);
  const { name, bytes, channelId } = file;
  // Profile and group pictures are re-encoded when they are used.
  if (!DRAWN_TYPES.has(contentType) || channelId === undefined) {
    if (channelId === undefined && !DRAWN_TYPES.has(contentType)) throw serviceError("IMAGE_REFUSED");
    return { name, bytes, contentType, variants: ["raw"] };
  }
  if (bytes > IMAGE_MAX_BYTES) throw serviceError("IMAGE_REFUSED");
  const drawn = await drawStored(dependencies, storage, raw, drawImage);
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

/**
 * Detects the type of a file from its bytes only.
 * @param head the beginning of the file
 * @param isRecording whether a container only has sound
 */
async function sniff(head: Buffer, isRecording: boolean): Promise<string> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined || ACTIVE.test(found.mime)) return UNKNOWN_TYPE;
  const type = found.mime.split(";")[0] ?? UNKNOWN_TYPE;
  const container = isRecording ? CONTAINER.exec(type)?.[1] : undefined;
  return container === undefined ? type : `audio/${container.replace("m4a", "mp4")}`;
}

const EXTENSION = /(.)\.[A-Za-z0-9]{1,10}$/;

/**
 * A name that is safe in URLs, headers and on disk. Here it never becomes part of a path.
 * @param name without control characters
 */
export function safeFileName(name: string): string {
  // Characters that are reserved on some systems, or could leave a folder.
  const plain = name.replace(/[/\\:*?"<>|]/g, "_").replace(/[. ]+$/, "");
  return /^\.*$/.test(plain) ? "file" : plain;
}

/** Replaces the extension, because re-encoded images can have another type. */
export function withExtension(name: string, extension: string): string {
  return `${name.replace(EXTENSION, "$1")}.${extension}`;
}
