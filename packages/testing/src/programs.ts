import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the project lies. */
export const PROJECT_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));

const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/**
 * Whether a program that some tests need is installed. Use with `describe.skipIf(!isInstalled(...))`.
 * @throws {Error} when it is missing and REQUIRE_ALL_TESTS=1 says that nothing may be skipped
 */
export function isInstalled(program: string): boolean {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  const found = folders.some((folder) => isExecutable(join(folder, program)));
  if (!found && process.env["REQUIRE_ALL_TESTS"] === "1") {
    throw new Error(`${program} is not installed, and REQUIRE_ALL_TESTS=1 allows no test to be skipped.`);
  }
  if (!found) console.warn(`${program} is not installed: the tests that need it are skipped.`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
