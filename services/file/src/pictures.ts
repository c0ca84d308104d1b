import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { EMOJI_LIMITS, type EmojiKind, LIMITS, type PictureOf } from "@fanfare/contract";
import { pictureKey, picturePath, storageKey } from "@fanfare/files";
import { type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import { OLD_PICTURE_TTL_MS } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import { drawPicture, drawStored, drawWithin } from "./images.ts";
import type { FileDocument } from "./file.repository.ts";
import { keyOf, ownersOf } from "./quotas.ts";

const HASH_CHARS = 16;

/** How a picture is drawn, and the largest original. */
const DRAWINGS = {
  user: [drawPicture, LIMITS.pictureMaxBytes],
  group: [drawPicture, LIMITS.pictureMaxBytes],
  member: [drawPicture, LIMITS.pictureMaxBytes],
  instance: [drawPicture, LIMITS.pictureMaxBytes],
  emoji: [drawWithin(LIMITS.emojiSidePixels, LIMITS.emojiSidePixels), EMOJI_LIMITS.emoji.maxBytes],
  sticker: [drawWithin(LIMITS.stickerSidePixels, LIMITS.stickerSidePixels), EMOJI_LIMITS.sticker.maxBytes],
  gif: [drawWithin(LIMITS.gifWidthPixels, LIMITS.gifHeightPixels), EMOJI_LIMITS.gif.maxBytes],
} as const satisfies Record<PictureOf["type"] | EmojiKind, unknown>;

export function pictureActions(dependencies: FileDependencies): Handlers {
  const { files, quotas } = dependencies;
  return {
    "file.usePicture": async ({ params: { fileId, userId, of } }) => {
      const file = await files.find(fileId);
      const pictureOf = pictureKeyOf(of);
      if (file === null || file.ownerId !== userId || file.channelId !== undefined)
        throw serviceError("FILE_NOT_FOUND");
      if (file.state === "picture" && file.pictureOf === pictureOf && file.pictureName !== undefined)
        return presentPicture(file, file.pictureName);
      if (file.state !== "unclaimed") throw serviceError("FILE_NOT_FOUND");
      const [draw, maxBytes] = DRAWINGS[of.type === "emoji" ? (of.kind ?? "emoji") : of.type];
      if (file.bytes > maxBytes) throw serviceError("FILE_TOO_LARGE", { maxBytes });
      const storage = await dependencies.storage;
      const raw = storageKey(fileId, "raw");
      const { data: picture, info } = await drawStored(dependencies, storage, raw, draw);
      if (picture.length > maxBytes) throw serviceError("FILE_TOO_LARGE", { maxBytes });
      const hash = createHash("sha256").update(picture).digest("hex").slice(0, HASH_CHARS);
      const pictureName = `${fileId}-${hash}`;
      // Recorded before it is stored, so that it can always be found again.
      orThrow(await files.change(fileId, ["unclaimed"], { pictureName }), "FILE_NOT_FOUND");
      await storage.put(pictureKey(pictureName), Readable.from([picture]), picture.length);
      const set = {
        state: "picture",
        pictureOf,
        bytes: picture.length,
        contentType: "image/webp",
        width: info.width,
        height: info.pageHeight ?? info.height,
      } as const;
      const used = await files.change(fileId, ["unclaimed"], { ...set, variants: [] }, ["dueAt"]);
      if (used === null) throw serviceError("FILE_NOT_FOUND");
      await quotas.add(ownersOf(file), picture.length - file.bytes);
      await storage.delete(raw);
      return presentPicture(set, pictureName);
    },

    "file.dropPictures": async ({ params: { of, exceptFileId, fileId, userId } }) => {
      // A moderator may have removed it, or the member has left: no page needs it.
      const isGone = of.type === "member" && exceptFileId === undefined;
      const dueAt = new Date(Date.now() + (isGone ? 0 : OLD_PICTURE_TTL_MS));
      const which = {
        pictureOf: pictureKeyOf(of),
        ...(fileId !== undefined && { _id: fileId }),
        ...(userId !== undefined && { ownerId: userId }),
      };
      await files.markDeleting(which, dueAt, exceptFileId);
      return {};
    },
  };
}

const presentPicture = ({ width, height }: Pick<FileDocument, "width" | "height">, pictureName: string) => ({
  url: picturePath(pictureName),
  ...(width !== undefined && { width }),
  ...(height !== undefined && { height }),
});

const pictureKeyOf = (of: PictureOf): string => (of.type === "instance" ? of.type : keyOf(of));
