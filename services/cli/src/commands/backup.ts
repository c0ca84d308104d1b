import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import { type Summary, writeBackup } from "../backup/write-backup.ts";
import { CliError, command } from "../command.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { verifyBackup } from "../backup/read-backup.ts";
import { allChecks, EXIT_FINDINGS_LEFT, runChecks } from "../check/checks.ts";
import { loadInstanceConfig, withStoppedInstance } from "../open-instance.ts";

export const backupCommand = command({
  command: "backup [file]",
  describe: "Back up an instance into one file, even while it runs",
  builder: (yargs) =>
    yargs
      .positional("file", { type: "string", describe: "File to create" })
      .option("stdout", { type: "boolean", default: false, describe: "Write to the standard output instead" })
      .check(({ file, stdout }) => {
        if (!file !== stdout)
          throw new CliError("Pass a file name or --stdout: fanfare backup 2026-11-21.backup");
        return true;
      }),
  async handler({ file, stdout }) {
    const config = loadInstanceConfig();
    const target = stdout ? null : file!;
    const summary = await writeBackup(config, target);
    // Standard output can be the backup itself.
    console.error(`${target ?? "The backup"}: ${documentsIn(summary)} documents and ${summary.files} files.`);
    if (summary.while === "running")
      console.error("The instance kept running. The backup is consistent: it shows one moment.");
    if (summary.while === "mongodb")
      console.error("It is consistent only if nothing wrote to MONGO_URL during the backup.");
    if (config.s3 !== undefined) console.error("Files in S3 are not included.");
  },
});

const documentsIn = ({ collections }: Summary): number =>
  Object.values(collections).reduce((sum, count) => sum + count, 0);

export const restoreCommand = command({
  command: "restore <file>",
  describe: "Restore a backup to a stopped instance",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true }).option("force", {
      type: "boolean",
      default: false,
      describe: "Replace an existing instance; its embedded database is kept beside the new one",
    }),
  async handler({ file, force }) {
    const { moved, notices } = await restoreBackup(loadInstanceConfig({ canBeNew: true }), file, force);
    for (const line of notices) console.log(line);
    console.log(`Restored ${file}.`);
    for (const path of moved)
      console.log(`The previous data is in ${path}. Delete it when you no longer need it.`);
  },
});

export const verifyCommand = command({
  command: "verify <file>",
  describe: "Check that a backup is complete, without touching the instance",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true }).option("restore", {
      type: "boolean",
      default: false,
      describe: "Also restore it into a temporary folder and check its consistency",
    }),
  async handler({ file, restore }) {
    const contents = await verifyBackup(file);
    console.log(`${file} is complete: ${documentsIn(contents)} documents and ${contents.files} files.`);
    if (restore && (await faultsOf(file, loadConfig().s3 !== undefined)) > 0)
      process.exitCode = EXIT_FINDINGS_LEFT;
  },
});

async function faultsOf(file: string, hasS3: boolean): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-verify-"));
  const place = { mongoUrl: undefined, dataDir, filesDir: join(dataDir, "files") };
  try {
    const { notices } = await restoreBackup(place, file, false);
    for (const line of notices) console.log(line);
    const { found } = await withStoppedInstance(place, ({ db }) =>
      runChecks(db, allChecks(hasS3 ? undefined : place.filesDir), false, console.log),
    );
    console.log(
      found === 0
        ? "Restored it into a temporary folder: no problems found."
        : `Restored it into a temporary folder. Problems found: ${found}.`,
    );
    return found;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
