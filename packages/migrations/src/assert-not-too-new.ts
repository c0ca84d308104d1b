import { lt } from "semver";
import { DatabaseTooNewError } from "./errors.ts";
import type { MigrationRecord } from "./history.ts";
import type { Migration } from "./migration.ts";

/**
 * Migrations of newer programs are no obstacle unless they say so.
 * @throws {DatabaseTooNewError}
 */
export function assertNotTooNew(
  records: readonly MigrationRecord[],
  known: readonly Migration[],
  version: string,
): void {
  const names = new Set(known.map(({ name }) => name));
  for (const { _id, oldestProgram, version: by } of records) {
    if (names.has(_id) || oldestProgram === undefined || !lt(version, oldestProgram)) continue;
    throw new DatabaseTooNewError(
      `Fanfare ${by} has changed this database (${_id}) so that only ${oldestProgram} or newer may work on it; this is ${version}. ` +
        `Start ${oldestProgram} or newer, or restore a backup that was made before.`,
    );
  }
}
