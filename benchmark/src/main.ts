import { hideBin } from "yargs/helpers";
import { runCli } from "./cli/commands.ts";
import { ExitError } from "./cli/exit.ts";

try {
  await runCli(hideBin(process.argv));
} catch (error) {
  if (!(error instanceof ExitError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.code;
}
// Don't wait for idle keep-alive connections of the last phase.
process.exit();
