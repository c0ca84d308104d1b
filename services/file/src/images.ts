import { buffer } from "node:stream/consumers";
import { LIMITS } from "@fanfare/contract";
import { orThrow, serviceError } from "@fanfare/kernel";
import sharp, { type Sharp } from "sharp";
import type { ByteRange, FileStorage } from "@fanfare/files";
import { IMAGE_TIMEOUT_S } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";

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
export const drawWithin = (width: number, height: number) => (original: Buffer) =>
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
