import type { CommandModule } from "yargs";

/** An error that the operator can fix: its message is printed without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
}

/** A command, whose handler gets the options of its builder. */
export const command = <Options>(module: CommandModule<object, Options>) => module;
