import { createHmac, timingSafeEqual } from "node:crypto";

/** `raw`: as it was uploaded; `image`: re-encoded without metadata; `thumb`: the same, small. */
export const VARIANTS = ["raw", "image", "thumb"] as const;
export type Variant = (typeof VARIANTS)[number];

/** Claims of a signed URL, so serving a file needs no lookup. */
export interface SignedFile {
  fileId: string;
  variant: Variant;
  name: string;
  contentType: string;
  /** When the address ends, in ms since 1970. */
  expiresAtMs: number;
}

/** What a browser may show by itself; everything else is only ever downloaded. Nothing here can run. */
export const INLINE_TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "video/mp4",
  "video/webm",
  "video/ogg",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "audio/mp4",
  "audio/aac",
  "audio/flac",
  "audio/webm",
]);

const ID = /^[0-9a-f]{24}$/;
/** Base64url of 32 bytes. */
const SIGNATURE = /^[A-Za-z0-9_-]{43}$/;

/** Signs and verifies file URLs. A URL gives read access to one file until it expires. */
export class FileUrls {
  readonly #key: Buffer;
  readonly #previousKey: Buffer | null;

  /**
   * @param key of 32 bytes, for this purpose alone
   * @param previousKey what it has signed is good too, until it ends
   */
  constructor(key: Buffer, previousKey: Buffer | null = null) {
    this.#key = key;
    this.#previousKey = previousKey;
  }

  /** The path and query of the address. */
  sign(file: SignedFile): string {
    const { fileId, variant, name, contentType, expiresAtMs } = file;
    const query = new URLSearchParams({
      as: variant,
      type: contentType,
      until: String(expiresAtMs),
      sig: signatureOf(file, this.#key).toString("base64url"),
    });
    return `/files/${fileId}/${encodeURIComponent(name)}?${query.toString()}`;
  }

  /** What an address says, or null where it has ended, or was not signed by us as it is. */
  verify(
    { fileId, name }: { fileId: string; name: string },
    query: Record<string, unknown>,
    nowMs: number,
  ): SignedFile | null {
    const { as, type, until, sig } = query;
    const variant = VARIANTS.find((known) => known === as);
    if (variant === undefined || !ID.test(fileId)) return null;
    if (typeof type !== "string" || typeof until !== "string" || typeof sig !== "string") return null;
    if (!/^\d{1,15}$/.test(until) || !SIGNATURE.test(sig)) return null;
    const file = { fileId, variant, name, contentType: type, expiresAtMs: Number(until) };
    const given = Buffer.from(sig, "base64url");
    const isSignedWith = (key: Buffer) => timingSafeEqual(signatureOf(file, key), given);
    const isSigned =
      isSignedWith(this.#key) || (this.#previousKey !== null && isSignedWith(this.#previousKey));
    if (!isSigned) return null;
    return file.expiresAtMs > nowMs ? file : null;
  }
}

function signatureOf({ fileId, variant, name, contentType, expiresAtMs }: SignedFile, key: Buffer): Buffer {
  // As JSON nothing of one part can pass for a part of the next.
  const signed = JSON.stringify([fileId, variant, name, contentType, expiresAtMs]);
  return createHmac("sha256", key).update(signed).digest();
}

/** Where a public picture is to be had. */
export function picturePath(name: string): string {
  return `/files/public/${name}.webp`;
}
