import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { allChecks, EXIT_FINDINGS_LEFT } from "../check/checks.ts";
import { runChecks } from "../check/run-checks.ts";
import { withStoppedInstance } from "../open-instance.ts";

export const checkCommand: CommandModule<object, { repair: boolean }> = {
  command: "check",
  describe: "Check the consistency of the database and the files",
  builder: (yargs) =>
    yargs.option("repair", {
      type: "boolean",
      default: false,
      describe: "Repair what can be repaired without losing user data",
    }),
  async handler({ repair }) {
    const config = loadConfig();
    const say = (line: string) => process.stdout.write(`${line}\n`);
    const filesDir = config.s3 === undefined ? config.filesDir : undefined;
    const { found, repaired } = await withStoppedInstance(config, ({ connection }) =>
      runChecks(databaseOf(connection), allChecks(filesDir), repair, say),
    );
    if (found === 0) say("No problems found.");
    else
      say(
        `Problems found: ${found}${repair ? `, repaired: ${repaired}.` : ". Pass --repair to repair those that can be repaired."}`,
      );
    if (found > repaired) process.exitCode = EXIT_FINDINGS_LEFT;
  },
};
