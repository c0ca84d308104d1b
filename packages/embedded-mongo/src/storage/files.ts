import fs from "node:fs";
import path from "node:path";
import { DataFolderMismatchError } from "../errors.ts";

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
function replaceFile(file: string, content: string): void {
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

const ENGINE = "fanfare-embedded-mongo";
/** 1: a journal and snapshots (`old-format.ts`); 2: a SQLite file. */
const FORMAT = 2;
const ENGINE_FILE = "engine.json";
const OWN_FILES =
  /^(?:engine\.json(?:\.tmp)?|data\.sqlite.*|(?:journal|snapshot)-\d+\.log(?:\.tmp)?|lock.*|\..*|lost\+found)$/;

/**
 * The format of a data folder; undefined if it is empty.
 * @throws DataFolderMismatchError if it contains other files or an unknown format
 */
export function readEngine(dir: string): number | undefined {
  const file = path.join(dir, ENGINE_FILE);
  if (!fs.existsSync(file)) {
    const foreign = fs.readdirSync(dir).find((name) => !OWN_FILES.test(name));
    if (foreign === undefined) return undefined;
    throw new DataFolderMismatchError(
      dir,
      `The folder ${dir} contains other files (${foreign}). Choose an empty folder for the embedded database.`,
    );
  }
  let written: { engine?: unknown; format?: unknown };
  try {
    written = JSON.parse(fs.readFileSync(file, "utf8")) as typeof written;
  } catch {
    throw new DataFolderMismatchError(
      dir,
      `${file} cannot be read: it is not JSON. Restore it from a backup.`,
    );
  }
  if (written.engine !== ENGINE) {
    throw new DataFolderMismatchError(
      dir,
      `The data folder ${dir} was written by '${String(written.engine)}', not by '${ENGINE}'. Choose another folder.`,
    );
  }
  if (typeof written.format !== "number" || written.format > FORMAT) {
    throw new DataFolderMismatchError(
      dir,
      `The data folder ${dir} has format ${String(written.format)}; this version supports up to ${FORMAT}. Use a newer version.`,
    );
  }
  return written.format;
}

/** Writes the current format unless the folder already has it. */
export function writeEngine(dir: string): void {
  if (readEngine(dir) === FORMAT) return;
  replaceFile(path.join(dir, ENGINE_FILE), `${JSON.stringify({ engine: ENGINE, format: FORMAT })}\n`);
}
