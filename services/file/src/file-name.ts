const EXTENSION = /(.)\.[A-Za-z0-9]{1,10}$/;

/**
 * A name that is safe wherever it is written: in an address, a header, or on a user's disk. It never becomes part of a path
 * here.
 * @param name without control characters
 */
export function safeFileName(name: string): string {
  // Reserved on some system, or a way out of a folder.
  const plain = name.replace(/[/\\:*?"<>|]/g, "_").replace(/[. ]+$/, "");
  return /^\.*$/.test(plain) ? "file" : plain;
}

/** The name with another extension: re-encoded images can have another type. */
export function withExtension(name: string, extension: string): string {
  return `${name.replace(EXTENSION, "$1")}.${extension}`;
}
