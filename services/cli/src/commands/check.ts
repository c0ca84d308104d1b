import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { allChecks, FAULTS_LEFT } from "../check/checks.ts";
import { runChecks } from "../check/run-checks.ts";
import { withStopped } from "../open-stopped.ts";

export const checkCommand: CommandModule<object, { repair: boolean }> = {
  command: "check",
  describe: "Look whether everything fits together",
  builder: (yargs) =>
    yargs.option("repair", {
      type: "boolean",
      default: false,
      describe: "Put right what can be without losing anything that somebody has written",
    }),
  async handler({ repair }) {
    const config = loadConfig();
    const say = (line: string) => process.stdout.write(`${line}\n`);
    const filesDir = config.s3 === undefined ? config.filesDir : undefined;
    const { found, repaired } = await withStopped(config, ({ connection }) =>
      runChecks(databaseOf(connection), allChecks(filesDir), repair, say),
    );
    if (found === 0) say("Everything fits together.");
    else
      say(
        `${found} faults${repair ? `, ${repaired} of them repaired` : "; --repair puts right what can be"}.`,
      );
    if (found > repaired) process.exitCode = FAULTS_LEFT;
  },
};
