import { hideBin } from "yargs/helpers";
import { runCli } from "./cli/commands.ts";
import { withExitCode } from "./cli/exit.ts";

await withExitCode(() => runCli(hideBin(process.argv)));
// Don't wait for idle keep-alive connections of the last phase.
process.exit();
