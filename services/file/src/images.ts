import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { EMOJI_LIMITS, type EmojiKind, LIMITS, type PictureOf } from "@fanfare/contract";
import { type ByteRange, type FileStorage, pictureKey, picturePath, storageKey } from "@fanfare/files";
import { type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import sharp, { type Sharp } from "sharp";
import { IMAGE_TIMEOUT_S, OLD_PICTURE_TTL_MS } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import type { FileDocument } from "./file.repository.ts";
import { keyOf, ownersOf } from "./quotas.ts";

interface DrawnImage {
  image: Buffer;
  thumb: Buffer;
  contentType: string;
  extension: string;
  width: number;
  height: number;
}

const OPTIONS = { limitInputPixels: LIMITS.imageMaxPixels, failOn: "error", sequentialRead: true } as const;
const TIMEOUT = { seconds: IMAGE_TIMEOUT_S };

interface Encoding {
  contentType: string;
  extension: string;
  encode: (picture: Sharp) => Sharp;
}

const WEBP: Encoding = {
  contentType: "image/webp",
  extension: "webp",
  encode: (picture) => picture.webp({ quality: 88, effort: 2 }),
};
/** By detected format; formats that are slow to encode become WebP. */
const ENCODINGS: Record<string, Encoding> = {
  jpeg: { contentType: "image/jpeg", extension: "jpg", encode: (picture) => picture.jpeg({ quality: 90 }) },
  png: {
    contentType: "image/png",
    extension: "png",
    encode: (picture) => picture.png({ compressionLevel: 6 }),
  },
  gif: { contentType: "image/gif", extension: "gif", encode: (picture) => picture.gif({ effort: 1 }) },
  webp: WEBP,
  heif: WEBP,
  tiff: WEBP,
};

/** Types that are re-encoded; others get no preview. */
export const DRAWN_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/apng",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/tiff",
]);

sharp.cache(false);
// One thread per image: images are processed in parallel, and other services need the CPU too.
sharp.concurrency(1);

/**
 * Re-encodes an image in small sizes. Only the pixels of the original remain: no location, no camera model, no hidden data.
 * @throws {ServiceError} IMAGE_REFUSED when it is damaged or has too many pixels
 */
export async function drawImage(original: Buffer): Promise<DrawnImage> {
  return rejectingInvalid(async () => {
    const { encoding, animated, height, source } = await openImage(original);
    const { data: image, info } = await encoding.encode(source).toBuffer({ resolveWithObject: true });
    const thumb = await sharp(original, OPTIONS)
      .timeout(TIMEOUT)
      .autoOrient()
      .resize({
        width: LIMITS.thumbnailMaxPixels,
        height: LIMITS.thumbnailMaxPixels,
        fit: "inside",
        withoutEnlargement: true,
      })
      .webp({ quality: 80, effort: 2 })
      .toBuffer();
    const { contentType, extension } = encoding;
    const shownHeight = animated ? height : info.height;
    return { image, thumb, contentType, extension, width: info.width, height: shownHeight };
  });
}

/**
 * Creates the picture of an emoji, sticker or GIF: a WebP of at most this size, with the proportions and the frames of the original.
 * @throws {ServiceError} IMAGE_REFUSED when it isn't a readable image, or all frames together have too many pixels
 */
const drawWithin = (width: number, height: number) => (original: Buffer) =>
  rejectingInvalid(async () => {
    const { source } = await openImage(original);
    return source
      .resize({ width, height, fit: "inside", withoutEnlargement: true })
      .webp({ quality: 85, effort: 2 })
      .toBuffer({ resolveWithObject: true });
  });

/** Upright, with all frames of an animation. Throws if it has too many pixels. */
async function openImage(original: Buffer) {
  const { format, pages = 1, width, pageHeight, height } = await sharp(original, OPTIONS).metadata();
  const encoding = ENCODINGS[format];
  const frameHeight = pageHeight ?? height;
  if (encoding === undefined || width * frameHeight * pages > LIMITS.imageMaxPixels)
    throw serviceError("IMAGE_REFUSED");
  const animated = pages > 1 && (format === "gif" || format === "webp");
  const source = sharp(original, { ...OPTIONS, animated }).timeout(TIMEOUT);
  return { encoding, animated, height: frameHeight, source: animated ? source : source.autoOrient() };
}

/**
 * Creates the picture of a profile or group: a square WebP, cropped to the center.
 * @throws {ServiceError} IMAGE_REFUSED when it isn't a readable image
 */
export async function drawPicture(original: Buffer) {
  const side = LIMITS.pictureSidePixels;
  return rejectingInvalid(() =>
    sharp(original, OPTIONS)
      .timeout(TIMEOUT)
      .autoOrient()
      .resize({ width: side, height: side, fit: "cover" })
      .webp({ quality: 85, effort: 4 })
      .toBuffer({ resolveWithObject: true }),
  );
}

/** Errors of the library are always caused by the uploaded image. */
async function rejectingInvalid<T>(draw: () => Promise<T>): Promise<T> {
  try {
    return await draw();
  } catch {
    throw serviceError("IMAGE_REFUSED");
  }
}

/** Draws a stored original when it is its turn. */
export const drawStored = <T>(
  { images }: Pick<FileDependencies, "images">,
  storage: FileStorage,
  key: string,
  draw: (original: Buffer) => Promise<T>,
): Promise<T> => images.run(async () => draw(orThrow(await readBytes(storage, key), "FILE_NOT_FOUND")));

/** Reads an object, or a part of it, into memory; only for small ones. @returns null when it doesn't exist */
export async function readBytes(
  storage: FileStorage,
  key: string,
  range?: ByteRange,
): Promise<Buffer<ArrayBuffer> | null> {
  const found = await storage.read(key, range);
  return found === null ? null : buffer(found.stream);
}

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
