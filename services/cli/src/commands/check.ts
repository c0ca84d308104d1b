import { allChecks, EXIT_FINDINGS_LEFT } from "../check/checks.ts";
import { runChecks } from "../check/run-checks.ts";
import { command } from "../command.ts";
import { loadInstanceConfig, withStoppedInstance } from "../open-instance.ts";

export const checkCommand = command({
  command: "check",
  describe: "Check the consistency of the database and the files",
  builder: (yargs) =>
    yargs.option("repair", {
      type: "boolean",
      default: false,
      describe: "Repair what can be repaired without losing user data",
    }),
  async handler({ repair }) {
    const config = loadInstanceConfig();
    const filesDir = config.s3 === undefined ? config.filesDir : undefined;
    const { found, repaired } = await withStoppedInstance(config, ({ db }) =>
      runChecks(db, allChecks(filesDir), repair, console.log),
    );
    const rest = repair
      ? `, repaired: ${repaired}.`
      : ". Pass --repair to repair those that can be repaired.";
    console.log(found === 0 ? "No problems found." : `Problems found: ${found}${rest}`);
    if (found > repaired) process.exitCode = EXIT_FINDINGS_LEFT;
  },
});
