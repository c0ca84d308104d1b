import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { checkFiles } from "../check/check-files.ts";
import { checkMemberCounts, checkOwners } from "../check/check-groups.ts";
import { checkLog } from "../check/check-log.ts";
import { checkOrphans } from "../check/check-orphans.ts";
import { runChecks } from "../check/run-checks.ts";
import { withStopped } from "../open-stopped.ts";

const FAULTS_LEFT = 2;

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
    // The orphans first: what belongs to nobody is not to be counted.
    const checks = [checkOrphans, checkLog, checkMemberCounts, checkOwners, checkFiles(filesDir)];
    const { found, repaired } = await withStopped(config, ({ connection }) =>
      runChecks(databaseOf(connection), checks, repair, say),
    );
    if (found === 0) say("Everything fits together.");
    else
      say(
        `${found} faults${repair ? `, ${repaired} of them repaired` : "; --repair puts right what can be"}.`,
      );
    if (found > repaired) process.exitCode = FAULTS_LEFT;
  },
};
