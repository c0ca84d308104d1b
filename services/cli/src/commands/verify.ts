import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { documentsIn } from "../backup/documents-in.ts";
import { verifyBackup } from "../backup/read-backup.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { allChecks, FAULTS_LEFT } from "../check/all-checks.ts";
import { runChecks } from "../check/run-checks.ts";
import { withStopped } from "../open-stopped.ts";

export const verifyCommand: CommandModule<object, { file: string; restore: boolean }> = {
  command: "verify <file>",
  describe: "Look whether a backup is whole; nothing of the instance is touched",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true }).option("restore", {
      type: "boolean",
      default: false,
      describe: "Also restore it into a temporary folder, and look whether everything fits together",
    }),
  async handler({ file, restore }) {
    const contents = await verifyBackup(file);
    say(`${file} is whole: ${documentsIn(contents)} documents and ${contents.files} files.`);
    if (restore && (await faultsOf(file)) > 0) process.exitCode = FAULTS_LEFT;
  },
};

async function faultsOf(file: string): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-verify-"));
  const place = { mongoUrl: undefined, dataDir, filesDir: join(dataDir, "files") };
  try {
    const { said } = await restoreBackup(place, file, false);
    for (const line of said) say(line);
    const { found } = await withStopped(place, ({ connection }) =>
      runChecks(databaseOf(connection), allChecks(place.filesDir), false, say),
    );
    say(found === 0 ? "Restored, everything in it fits together." : `Restored, it has ${found} faults.`);
    return found;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
