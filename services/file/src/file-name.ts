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
