import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pictureKey, picturePath, storageKey } from "@fanfare/files";
import { type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import { OLD_PICTURE_TTL_MS } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import { drawPicture, readBytes } from "./images.ts";
import { keyOf, ownersOf } from "./quotas.ts";

const HASH_CHARS = 16;

export function pictureActions(dependencies: FileDependencies): Handlers {
  const { files, quotas, images } = dependencies;
  return {
    "file.usePicture": async ({ params: { fileId, userId, of } }) => {
      const file = await files.find(fileId);
      const pictureOf = keyOf(of);
      if (file === null || file.ownerId !== userId || file.channelId !== undefined)
        throw serviceError("FILE_NOT_FOUND");
      if (file.state === "picture" && file.pictureOf === pictureOf && file.pictureName !== undefined)
        return { url: picturePath(file.pictureName) };
      if (file.state !== "unclaimed") throw serviceError("FILE_NOT_FOUND");
      const storage = await dependencies.storage;
      const raw = storageKey(fileId, "raw");
      const picture = await images.run(async () => {
        const original = orThrow(await readBytes(storage, raw), "FILE_NOT_FOUND");
        return drawPicture(original);
      });
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
        variants: [],
      } as const;
      const used = await files.change(fileId, ["unclaimed"], { ...set, variants: [] }, ["dueAt"]);
      if (used === null) throw serviceError("FILE_NOT_FOUND");
      await quotas.add(ownersOf(file), picture.length - file.bytes);
      await storage.delete(raw);
      return { url: picturePath(pictureName) };
    },

    "file.dropPictures": async ({ params: { of, exceptFileId } }) => {
      const dueAt = new Date(Date.now() + OLD_PICTURE_TTL_MS);
      await files.markDeleting({ pictureOf: keyOf(of) }, dueAt, exceptFileId);
      return {};
    },
  };
}
