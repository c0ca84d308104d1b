import fs from "node:fs";
import path from "node:path";

/** Makes the names in a folder durable. Not possible or necessary on Windows. */
export function syncFolder(dir: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(dir, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function syncFile(file: string): void {
  const fd = fs.openSync(file, "r+");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function writeFully(fd: number, bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) at += fs.writeSync(fd, bytes, at, bytes.length - at);
}

/** Replaces a file atomically: after a crash it has either the old or the new content. */
export function replaceFile(file: string, content: string): void {
  const temporary = `${file}.tmp`;
  const fd = fs.openSync(temporary, "w", 0o600);
  try {
    writeFully(fd, Buffer.from(content));
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(temporary, file);
  syncFolder(path.dirname(file));
}
