import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createGunzip } from "node:zlib";
import { CliError } from "../cli-error.ts";
import {
  BackupDamagedError,
  decodeFrames,
  encodeHead,
  FORMAT,
  FORMAT_VERSION,
  type Frame,
} from "./frames.ts";
import { locationOf } from "./files.ts";
import type { Summary } from "./write-backup.ts";

export interface Contents extends Summary {
  /** The instance kept running: it is as after a crash at that moment. */
  ofRunning: boolean;
}

/**
 * What is in a backup, without its first and last frame. Only when it has come to its end is it known to be whole.
 * @throws {CliError} when it cannot be read, is of a newer version, or is not what was written
 */
export async function* readBackup(file: string): AsyncGenerator<Frame, Contents> {
  const hash = createHash("sha256");
  const seen: Summary = { collections: {}, files: 0 };
  let collection = "";
  let missing = 0;
  let ofRunning: boolean | undefined;
  let isWhole = false;
  const source = createReadStream(file);
  const unpacked = source.pipe(createGunzip());
  // Otherwise an error of the file itself would be lost.
  source.once("error", (error) => unpacked.destroy(error));
  try {
    for await (const { kind, payload } of decodeFrames(unpacked)) {
      if (isWhole) throw new Error("something follows its end");
      if (kind === "E") {
        const { sha256, ...written } = JSON.parse(payload.toString()) as Summary & { sha256: string };
        if (sha256 !== hash.digest("hex")) throw new Error("its checksum is another one");
        if (missing !== 0 || !isDeepStrictEqual(written, seen)) throw new Error("parts of it are missing");
        isWhole = true;
        continue;
      }
      hash.update(encodeHead(kind, payload.length)).update(payload);
      if (ofRunning === undefined) {
        ofRunning = readHead(file, kind, payload).running === true;
        continue;
      }
      if (kind === "C") collection = payload.toString();
      if (kind === "D") seen.collections[collection] = (seen.collections[collection] ?? 0) + 1;
      if (kind === "F") {
        const { path, bytes } = fileOf(payload);
        locationOf(path, { dataDir: ".", filesDir: "." });
        if (missing !== 0) throw new Error("a file in it is not whole");
        missing = bytes;
        seen.files += 1;
      }
      if (kind === "B") missing -= payload.length;
      yield { kind, payload };
    }
    if (!isWhole) throw new Error("it is cut off");
    return { ...seen, ofRunning: ofRunning === true };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES" || code === "EISDIR")
      throw new CliError(`${file} cannot be read: ${message}`);
    throw new BackupDamagedError(file, message);
  } finally {
    source.destroy();
  }
}

/** Reads it to its end, and throws as `readBackup` does. */
export async function verifyBackup(file: string): Promise<Contents> {
  const frames = readBackup(file);
  for (;;) {
    const { done, value } = await frames.next();
    if (done === true) return value;
  }
}

export function fileOf(payload: Buffer): { path: string; bytes: number } {
  return JSON.parse(payload.toString()) as { path: string; bytes: number };
}

interface Head {
  format?: unknown;
  version?: number;
  running?: boolean;
}

function readHead(file: string, kind: string, payload: Buffer): Head {
  const head = kind === "H" ? (JSON.parse(payload.toString()) as Head) : {};
  if (head.format !== FORMAT) throw new Error("it holds something else");
  if (head.version !== FORMAT_VERSION) {
    throw new CliError(
      `${file} has format ${head.version}; this version knows ${FORMAT_VERSION}. Use the version that wrote it.`,
    );
  }
  return head;
}
