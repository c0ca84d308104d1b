import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createGunzip } from "node:zlib";
import { CliError } from "../command.ts";
import {
  BackupDamagedError,
  decodeFrames,
  encodeHead,
  FORMAT,
  FORMAT_VERSION,
  type Frame,
} from "./format.ts";
import { locationOf } from "./files.ts";
import type { Summary } from "./write-backup.ts";

export interface Contents extends Summary {
  /** The instance was running: the backup corresponds to a crash at that moment. */
  ofRunning: boolean;
}

/**
 * Reads the frames of a backup without the first and the last one. It is only known to be complete at the end.
 * @throws {CliError} when it can't be read, is damaged, or was written by a newer version
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
  // Errors of the source stream aren't forwarded automatically.
  source.once("error", (error) => unpacked.destroy(error));
  try {
    for await (const { kind, payload } of decodeFrames(unpacked)) {
      if (isWhole) throw new Error("there is data after its end");
      if (kind === "E") {
        const { sha256, ...written } = JSON.parse(payload.toString()) as Summary & { sha256: string };
        if (sha256 !== hash.digest("hex")) throw new Error("its checksum does not match");
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
        if (missing !== 0) throw new Error("one of its files is incomplete");
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

/** Reads a backup to its end. Throws like `readBackup`. */
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
  if (head.format !== FORMAT) throw new Error("it is not a Fanfare backup");
  if (head.version !== FORMAT_VERSION) {
    throw new CliError(
      `${file} has format ${head.version}; this version supports ${FORMAT_VERSION}. Use the version that wrote it.`,
    );
  }
  return head;
}
