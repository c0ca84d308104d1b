import { ConfigError, PROGRAM_VERSION, ServiceError, StartError } from "@fanfare/kernel";
import yargs, { type CommandModule } from "yargs";
import { CliError } from "./command.ts";
import { backupCommand, restoreCommand, verifyCommand } from "./commands/backup.ts";
import { bridgeCommand } from "./bridge/run-bridge.ts";
import { checkCommand, migrateCommand, reindexCommand, resealCommand } from "./commands/maintenance.ts";
import { createAdminCommand, endSessionsCommand, resetTotpCommand } from "./commands/accounts.ts";
import { exportGroupCommand, importGroupCommand } from "./commands/group-files.ts";
import { importCommand } from "./commands/import.ts";

const WIDTH = 100;

const program = (args: readonly string[], more: readonly CommandModule[]) =>
  yargs(args)
    .scriptName("fanfare")
    .usage(
      "$0 <command>\n\nManages the instance in DATA_DIR or MONGO_URL. Some commands need a stopped instance.",
    )
    .command([...more])
    .command(createAdminCommand)
    .command(resetTotpCommand)
    .command(resealCommand)
    .command(endSessionsCommand)
    .command(backupCommand)
    .command(verifyCommand)
    .command(restoreCommand)
    .command(exportGroupCommand)
    .command(importGroupCommand)
    .command(importCommand)
    .command(migrateCommand)
    .command(reindexCommand)
    .command(checkCommand)
    .command(bridgeCommand)
    .demandCommand(1, "Specify a command, for example: fanfare check")
    .strict()
    .help()
    .version(PROGRAM_VERSION)
    .wrap(WIDTH)
    .epilogue("Exit codes: 0 success, 1 failure, 2 the check found problems.")
    .fail((message, error, usage) => {
      // What yargs passes here has only the methods of its help. In a command, there are no others.
      const { getCommands } = usage as unknown as { getCommands: () => readonly unknown[] };
      const isInCommand = getCommands().length === 0;
      const text = message
        ?.replace(/^Missing required argument: (\S+)$/, "--$1 is missing.")
        .replace(/^Arguments (\S+) and (\S+) are .*/, "--$1 and --$2 can't be used together.");
      throw error ?? new CliError(`${text}\nSee: fanfare ${isInCommand ? `${args[0]} ` : ""}--help`);
    });

/**
 * Runs a command and sets the exit code of this process.
 * @param more commands besides those of every installation
 */
export async function runCli(args: readonly string[], more: readonly CommandModule[] = []): Promise<void> {
  try {
    await program(args, more).parseAsync();
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ServiceError) {
    const { issues } = (error.data ?? {}) as { issues?: { path: string; message: string }[] };
    if (issues === undefined) return error.message;
    return ["Invalid values:", ...issues.map(({ path, message }) => `  ${path}: ${message}`)].join("\n");
  }
  const isExpected =
    [CliError, ConfigError, StartError].some((kind) => error instanceof kind) ||
    /^Data\w+Error$/.test(error.name);
  return isExpected ? error.message : (error.stack ?? error.message);
}
