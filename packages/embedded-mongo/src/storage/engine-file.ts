import fs from "node:fs";
import path from "node:path";
import { DataFolderMismatchError } from "../errors.ts";
import { replaceFile } from "./files.ts";

const ENGINE = "fanfare-embedded-mongo";
const FORMAT = 1;
const FILE = "engine.json";
const OWN = /^(?:engine\.json(?:\.tmp)?|(?:journal|snapshot)-\d+\.log(?:\.tmp)?|lock.*|\..*)$/;

/**
 * Checks that the folder is empty or was written by this engine in a format it knows, and marks it as such.
 * @throws DataFolderMismatchError
 */
export function claimEngine(dir: string): void {
  const file = path.join(dir, FILE);
  if (!fs.existsSync(file)) {
    const foreign = fs.readdirSync(dir).find((name) => !OWN.test(name));
    if (foreign !== undefined) {
      throw new DataFolderMismatchError(
        dir,
        `The folder ${dir} holds files of something else (${foreign}). Choose an empty folder for the embedded database.`,
      );
    }
    replaceFile(file, `${JSON.stringify({ engine: ENGINE, format: FORMAT })}\n`);
    return;
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
      `The data folder ${dir} has format ${String(written.format)}; this version knows up to ${FORMAT}. Use a newer version.`,
    );
  }
}
