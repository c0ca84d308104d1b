import yargs from "yargs";
import { broadcastCommand } from "./commands/broadcast.ts";
import { capacityCommand } from "./commands/capacity.ts";
import { chatroomCommand } from "./commands/chatroom.ts";
import { clusterCommand } from "./commands/cluster.ts";
import { compareCommand } from "./commands/compare.ts";
import { connectCommand } from "./commands/connect.ts";
import { directCommand } from "./commands/direct.ts";
import { echoCommand } from "./commands/echo.ts";
import { groupCommand } from "./commands/group.ts";
import { httpCommand } from "./commands/http.ts";
import { limitsCommand } from "./commands/limits.ts";
import { loginCommand } from "./commands/login.ts";
import { overloadCommand } from "./commands/overload.ts";
import { registerCommand } from "./commands/register.ts";
import { reportCommand } from "./commands/report.ts";
import { stagesCommand } from "./commands/stages.ts";
import { stormCommand } from "./commands/storm.ts";
import { suiteCommand } from "./commands/suite.ts";
import { sweepCommand } from "./commands/sweep.ts";
import { ExitCode, ExitError } from "./exit.ts";

/**
 * Runs the command with these arguments.
 * @throws {ExitError} if they are wrong, or nothing could be measured
 */
export async function runCli(args: readonly string[]): Promise<void> {
  await yargs([...args])
    .scriptName("bench")
    .usage("$0 <command> [options]\n\nMeasures how long it takes until the last member online has a message.")
    .command(broadcastCommand)
    .command(limitsCommand)
    .command(sweepCommand)
    .command(clusterCommand)
    .command(capacityCommand)
    .command(stormCommand)
    .command(overloadCommand)
    .command(loginCommand)
    .command(directCommand)
    .command(groupCommand)
    .command(chatroomCommand)
    .command(registerCommand)
    .command(connectCommand)
    .command(suiteCommand)
    .command(reportCommand)
    .command(compareCommand)
    .command(echoCommand)
    .command(httpCommand)
    .command(stagesCommand)
    .demandCommand(1, "Specify a command, for example: bench broadcast --users 1000")
    .strict()
    .help()
    .version(false)
    .wrap(Math.min(110, process.stdout.columns ?? 100))
    .epilogue(
      "Exit codes: 0 ok, 1 messages lost or another fault, 2 could not connect, 64 wrong usage, 99 threshold failed, 105 interrupted.\n" +
        "The summary goes to stdout, progress to stderr.",
    )
    .fail((message, error) => {
      throw error ?? new ExitError(ExitCode.usage, `${message}\nSee: bench --help`);
    })
    .parseAsync();
}
