import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { restoreBackup } from "../backup/restore-backup.ts";

export const restoreCommand: CommandModule<object, { file: string; force: boolean }> = {
  command: "restore <file>",
  describe: "Put a backup in the place of a stopped instance",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true }).option("force", {
      type: "boolean",
      default: false,
      describe: "Also where there is an instance already; its embedded database is kept beside the new one",
    }),
  async handler({ file, force }) {
    const { moved, said } = await restoreBackup(loadConfig(), file, force);
    for (const line of said) process.stdout.write(`${line}\n`);
    process.stdout.write(`${file} is restored.\n`);
    for (const path of moved) process.stdout.write(`What was there before is in ${path}: delete it later.\n`);
  },
};
