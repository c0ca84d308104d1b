import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { type Summary, writeBackup } from "../backup/write-backup.ts";
import { CliError } from "../cli-error.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { databaseOf } from "../backup/documents.ts";
import { verifyBackup } from "../backup/read-backup.ts";
import { allChecks, EXIT_FINDINGS_LEFT } from "../check/checks.ts";
import { runChecks } from "../check/run-checks.ts";
import { withStoppedInstance } from "../open-instance.ts";

export const backupCommand: CommandModule<object, { file: string | undefined; stdout: boolean }> = {
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
    const config = loadConfig();
    const target = stdout ? null : file!;
    const summary = await writeBackup(config, target);
    // Standard output can be the backup itself.
    const say = (line: string) => process.stderr.write(`${line}\n`);
    say(`${target ?? "The backup"}: ${documentsIn(summary)} documents and ${summary.files} files.`);
    if (summary.while === "running")
      say("The instance kept running. The backup is consistent: it shows one moment.");
    if (summary.while === "mongodb")
      say("It is consistent only if nothing wrote to MONGO_URL during the backup.");
    if (config.s3 !== undefined) say("Files in S3 are not included.");
  },
};

const documentsIn = ({ collections }: Summary): number =>
  Object.values(collections).reduce((sum, count) => sum + count, 0);

export const restoreCommand: CommandModule<object, { file: string; force: boolean }> = {
  command: "restore <file>",
  describe: "Restore a backup to a stopped instance",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true }).option("force", {
      type: "boolean",
      default: false,
      describe: "Replace an existing instance; its embedded database is kept beside the new one",
    }),
  async handler({ file, force }) {
    const { moved, notices } = await restoreBackup(loadConfig(), file, force);
    for (const line of notices) process.stdout.write(`${line}\n`);
    process.stdout.write(`Restored ${file}.\n`);
    for (const path of moved)
      process.stdout.write(`The previous data is in ${path}. Delete it when you no longer need it.\n`);
  },
};

export const verifyCommand: CommandModule<object, { file: string; restore: boolean }> = {
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
    say(`${file} is complete: ${documentsIn(contents)} documents and ${contents.files} files.`);
    if (restore && (await faultsOf(file)) > 0) process.exitCode = EXIT_FINDINGS_LEFT;
  },
};

async function faultsOf(file: string): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-verify-"));
  const place = { mongoUrl: undefined, dataDir, filesDir: join(dataDir, "files") };
  try {
    const { notices } = await restoreBackup(place, file, false);
    for (const line of notices) say(line);
    const { found } = await withStoppedInstance(place, ({ connection }) =>
      runChecks(databaseOf(connection), allChecks(place.filesDir), false, say),
    );
    say(
      found === 0
        ? "Restored it into a temporary folder: no problems found."
        : `Restored it into a temporary folder. Problems found: ${found}.`,
    );
    return found;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
