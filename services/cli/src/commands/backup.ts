import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { documentsIn } from "../backup/documents-in.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { CliError } from "../cli-error.ts";

export const backupCommand: CommandModule<object, { file: string | undefined; stdout: boolean }> = {
  command: "backup [file]",
  describe: "Write everything of an instance into one file, also while it runs",
  builder: (yargs) =>
    yargs
      .positional("file", { type: "string", describe: "Which must not be there yet" })
      .option("stdout", { type: "boolean", default: false, describe: "To the standard output instead" })
      .check(({ file, stdout }) => {
        if (!file !== stdout)
          throw new CliError("Name a file, or say --stdout: fanfare backup 2026-11-21.backup");
        return true;
      }),
  async handler({ file, stdout }) {
    const config = loadConfig();
    const target = stdout ? null : file!;
    const summary = await writeBackup(config, target);
    // The standard output may be the backup itself.
    const say = (line: string) => process.stderr.write(`${line}\n`);
    say(`${target ?? "The backup"}: ${documentsIn(summary)} documents and ${summary.files} files.`);
    if (summary.while === "running") say("The instance went on meanwhile; the backup is of one moment.");
    if (summary.while === "mongodb") say("It is of one moment only if nothing wrote to MONGO_URL meanwhile.");
    if (config.s3 !== undefined) say("Files that lie in S3 are not in it.");
  },
};
