import yargs from "yargs";
import { compareCommand } from "../compare/compare-command.ts";
import { reportCommand } from "../report/report-command.ts";
import { broadcast } from "../scenarios/broadcast.ts";
import { capacity } from "../scenarios/capacity/capacity.ts";
import { connect } from "../scenarios/connect.ts";
import { echo } from "../scenarios/echo/echo.ts";
import { http } from "../scenarios/http.ts";
import { login } from "../scenarios/login.ts";
import { chatroom, direct, group } from "../scenarios/messages.ts";
import { nodes } from "../scenarios/nodes.ts";
import { overload } from "../scenarios/overload.ts";
import { pressure } from "../scenarios/pressure.ts";
import { register } from "../scenarios/register.ts";
import { cluster, limits, sweep, versus } from "../scenarios/side-by-side.ts";
import { stages } from "../scenarios/stages.ts";
import { storm } from "../scenarios/storm.ts";
import { suiteCommand } from "../suite/suite-command.ts";
import { ExitCode, ExitError, PROGRAM, usageError } from "./exit.ts";
import packageJson from "../../package.json" with { type: "json" };

/** More edits than this are another word, not a typing error. */
const MOST_EDITS = 3;

/** Options and positionals that can have several values. */
const REPEATABLE = new Set(["_", "files", "threshold", "allow"]);

/** The most similar name; undefined: none is similar. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, edits: edits(word, name) }))
    .filter((one) => one.edits <= MOST_EDITS && one.edits < word.length)
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}

/** Insertions, deletions and substitutions that turn one into the other (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of from.split("").entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === to[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}

/**
 * Runs the command with these arguments.
 * @throws {ExitError} if they are wrong, or nothing could be measured
 */
export async function runCli(args: readonly string[]): Promise<void> {
  await yargs([...args])
    .scriptName(PROGRAM)
    .usage("$0 <command> [options]\n\nMeasures how long it takes until the last member online has a message.")
    .command([broadcast, limits, versus, sweep, cluster, nodes, capacity, storm, overload, pressure])
    .command([login, direct, group, chatroom, register, connect, http, stages, echo])
    .command(suiteCommand)
    .command(reportCommand)
    .command(compareCommand)
    .demandCommand(1, `Specify a command, for example: ${PROGRAM} broadcast --users 1000`)
    .recommendCommands()
    .strict()
    .check((parsed) => {
      const isTwice = ([name, value]: [string, unknown]) => Array.isArray(value) && !REPEATABLE.has(name);
      const [twice] = Object.entries(parsed).find(isTwice) ?? [];
      if (twice !== undefined) throw usageError(`--${twice} was given twice.`);
      return true;
    })
    .help()
    .version(packageJson.version)
    .wrap(Math.min(110, process.stdout.columns ?? 100))
    .epilogue(
      "Exit codes: 0 ok, 1 messages lost or another fault, 2 could not connect, 64 wrong usage, 99 threshold failed, 105 interrupted.\n" +
        "The summary goes to stdout, progress to stderr.",
    )
    .fail((message, error, usage) => {
      // What yargs passes here has only the methods of its help; the published types say otherwise.
      const { getDescriptions } = usage as unknown as { getDescriptions: () => Record<string, unknown> };
      const text = withSuggestion(message, args, Object.keys(getDescriptions()));
      // Errors of yargs itself are about the arguments.
      if (error && error.name !== "YError") throw error;
      throw new ExitError(ExitCode.usage, `${text}\nSee: ${PROGRAM} ${helpOf(args)}`);
    })
    .parseAsync();
}

/** @param options of the command */
function withSuggestion(message: string, [command]: readonly string[], options: readonly string[]): string {
  // From recommendCommands, which leaves out what was typed.
  if (message.startsWith("Did you mean")) return `Unknown command: ${command}\n${message}`;
  const [, empty] = /^Not enough arguments following: (.+)/.exec(message) ?? [];
  if (empty !== undefined) return `--${empty} needs a value.`;
  const [, unknown = ""] = /^Unknown arguments?: ([^,]+)/.exec(message) ?? [];
  const suggestion = nearest(unknown, options);
  return suggestion === undefined ? message : `Unknown option: --${unknown}\nDid you mean --${suggestion}?`;
}

/** The help of the command, or of all of them. */
function helpOf([command]: readonly string[]): string {
  return command === undefined || command.startsWith("-") ? "--help" : `${command} --help`;
}
