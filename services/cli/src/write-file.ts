import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { CliError } from "./command.ts";

const NO_ROOM: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** @throws {CliError} when the file exists */
export function assertAbsent(file: string): void {
  if (existsSync(file)) throw new CliError(`${file} already exists. Choose another name, or delete it.`);
}

/**
 * Writes a file that only gets its name when it is complete. Other users can't read it, and nothing is written to what another
 * user has put in its place, such as a link.
 * @throws {CliError} when another process writes it or was broken off, or there is no room for it
 */
export async function writeFileAtomically(
  file: string,
  fill: (target: Writable) => Promise<void>,
): Promise<void> {
  assertAbsent(file);
  const unfinished = `${file}.unfinished`;
  const handle = await open(unfinished, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw new CliError(`${file} cannot be written: ${error.message}`);
    throw new CliError(
      `${unfinished} already exists: ${file} is being written, or an earlier attempt was interrupted. In that case, delete it.`,
    );
  });
  try {
    await fill(handle.createWriteStream({ flush: true }));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    throw NO_ROOM.has(code) ? new CliError(`${file} cannot be written: ${message}`) : error;
  }
}
