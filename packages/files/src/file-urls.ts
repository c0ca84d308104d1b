/** `raw`: as uploaded; `image`: re-encoded without metadata; `thumb`: a thumbnail of `image`. */
export const VARIANTS = ["raw", "image", "thumb"] as const;
export type Variant = (typeof VARIANTS)[number];

/** Claims of a signed URL, so serving a file needs no lookup. */
export interface SignedFile {
  fileId: string;
  variant: Variant;
  name: string;
  contentType: string;
  /** When the URL expires, in milliseconds since the epoch. */
  expiresAtMs: number;
}

/** Types that browsers can display inline, none of which can contain scripts. All others are served as downloads. */
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

/** Signs texts, and verifies the signatures. */
interface Signer {
  sign(text: string): string;
  verify(text: string, signature: string): boolean;
}

/** Signs and verifies file URLs. A URL gives read access to one file until it expires. */
export class FileUrls {
  readonly #signer: Signer;

  constructor(signer: Signer) {
    this.#signer = signer;
  }

  /** Returns the path and query of the URL. */
  sign(file: SignedFile): string {
    const { fileId, variant, name, contentType, expiresAtMs } = file;
    const query = new URLSearchParams({
      as: variant,
      type: contentType,
      until: String(expiresAtMs),
      sig: this.#signer.sign(signedText(file)),
    });
    return `/files/${fileId}/${encodeURIComponent(name)}?${query.toString()}`;
  }

  /** Returns the claims of a URL, or null if it has expired or its signature is invalid. */
  verify(
    { fileId, name }: { fileId: string; name: string },
    query: Record<string, unknown>,
    nowMs: number,
  ): SignedFile | null {
    const { as, type, until, sig } = query;
    const variant = VARIANTS.find((known) => known === as);
    if (variant === undefined || !ID.test(fileId)) return null;
    if (typeof type !== "string" || typeof until !== "string" || typeof sig !== "string") return null;
    if (!/^\d{1,15}$/.test(until)) return null;
    const expiresAtMs = Number(until);
    const file = { fileId, variant, name, contentType: type, expiresAtMs };
    return this.#signer.verify(signedText(file), sig) && expiresAtMs > nowMs ? file : null;
  }
}

/** JSON keeps the values unambiguous. */
function signedText({ fileId, variant, name, contentType, expiresAtMs }: SignedFile): string {
  return JSON.stringify([fileId, variant, name, contentType, expiresAtMs]);
}

/** The URL path of a public picture. */
export function picturePath(name: string): string {
  return `/files/public/${name}.webp`;
}

const PICTURE = /^[0-9a-f]{24}-[0-9a-f]{16}$/;

/**
 * The storage key of a file variant. Keys consist of ids only; names chosen by users never reach the storage.
 * @throws {Error} if it isn't a file id
 */
export function storageKey(fileId: string, variant: Variant): string {
  if (!ID.test(fileId)) throw new Error("not the id of a file");
  // Sharded by the end of the id, a counter; its beginning is a timestamp, which would put a month into one folder.
  return `${fileId.slice(-2)}/${fileId}.${variant}`;
}

/**
 * The storage key of a public picture.
 * @param name the id of its file and a hash of its content
 * @throws {Error} if it isn't a picture name
 */
export function pictureKey(name: string): string {
  if (!PICTURE.test(name)) throw new Error("not the name of a picture");
  return `public/${name}.webp`;
}
