import fs from "node:fs";
import path from "node:path";

/** Makes the names in a folder durable. Windows cannot sync a folder, and needs not. */
export function syncFolder(dir: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(dir, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function writeFully(fd: number, bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) at += fs.writeSync(fd, bytes, at, bytes.length - at);
}

/** Replaces a file in one step: after a crash there is the old or the new content, never a mixture. */
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

const numbered = (kind: string) => new RegExp(`^${kind}-(\\d+)\\.log$`);
const JOURNAL = numbered("journal");
const SNAPSHOT = numbered("snapshot");

export const journalFile = (dir: string, sequence: number): string =>
  path.join(dir, `journal-${sequence}.log`);
export const snapshotFile = (dir: string, sequence: number): string =>
  path.join(dir, `snapshot-${sequence}.log`);

const sequences = (names: string[], pattern: RegExp): number[] =>
  names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

export interface DataFiles {
  /** Ascending sequence numbers. */
  readonly journals: number[];
  readonly snapshots: number[];
  readonly unfinished: string[];
}

export function listDataFiles(dir: string): DataFiles {
  const names = fs.readdirSync(dir);
  return {
    journals: sequences(names, JOURNAL),
    snapshots: sequences(names, SNAPSHOT),
    unfinished: names
      .filter((name) => /^(?:journal|snapshot)-\d+\.log\.tmp$/.test(name))
      .map((name) => path.join(dir, name)),
  };
}
