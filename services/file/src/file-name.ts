const MAX_EXTENSION_CHARS = 16;

/**
 * A name that is safe wherever it is written: in an address, a header, or on somebody's disk. It never becomes part of a path
 * here.
 * @param name without control characters
 */
export function safeFileName(name: string): string {
  // Reserved on some system, or a way out of a folder.
  const plain = name.replace(/[/\\:*?"<>|]/g, "_").replace(/[. ]+$/, "");
  return /^\.*$/.test(plain) ? "file" : plain;
}

/** The name with another extension: what was drawn anew may be of another kind. */
export function withExtension(name: string, extension: string): string {
  const dot = name.lastIndexOf(".");
  const hasOne = dot > 0 && name.length - dot - 1 <= MAX_EXTENSION_CHARS;
  return `${hasOne ? name.slice(0, dot) : name}.${extension}`;
}
