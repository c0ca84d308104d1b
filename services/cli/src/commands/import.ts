import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { GroupFileContent } from "@fanfare/contract";
import { createGroupChecker, encodeGroupFile, InvalidLineError } from "@fanfare/group-file";
import { loadConfig } from "@fanfare/kernel";
import type { ImportedPerson } from "@fanfare/user";
import { CliError, command } from "../command.ts";
import { discordHistory } from "../import/discord.ts";
import { groupLines } from "../import/group-lines.ts";
import { type History, type Importer, type ImporterOptions, userId, type Users } from "../import/history.ts";
import { InvalidExportError } from "../import/inputs.ts";
import { mattermostHistory } from "../import/mattermost.ts";
import { Report } from "../import/report.ts";
import { rocketChatHistory } from "../import/rocketchat.ts";
import { slackHistory } from "../import/slack.ts";
import { tailchatHistory } from "../import/tailchat.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";
import { importGroup } from "./import-group.ts";

const IMPORTERS: Record<string, Importer> = {
  slack: slackHistory,
  discord: discordHistory,
  mattermost: mattermostHistory,
  rocketchat: rocketChatHistory,
  tailchat: tailchatHistory,
};
/** Would be interpreted by the terminal, and an error can quote the export. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const MAX_ERROR_CHARS = 300;

export const importCommand = command({
  command: "import <files..>",
  describe: "Import the history of another chat server as a group",
  builder: (yargs) =>
    yargs
      .positional("files", { type: "string", array: true, demandOption: true })
      .option("from", {
        type: "string",
        choices: Object.keys(IMPORTERS),
        demandOption: true,
        describe: "Where the export is from",
      })
      .option("owner", { type: "string", describe: "Username of the owner" })
      .option("match-usernames", {
        type: "boolean",
        default: false,
        describe: "Match users in the export to existing accounts by username",
      })
      .option("create-accounts", {
        type: "boolean",
        default: false,
        describe: "Create accounts, without passwords, for members in the export who have none",
      })
      .option("name", { type: "string", describe: "Name of the new group" })
      .option("team", { type: "string", describe: "Team or group to import, of an export with several" })
      .option("dry-run", { type: "boolean", default: false, describe: "Only report what would be imported" })
      .option("out", { type: "string", describe: "Only convert to this file, for import-group or the API" })
      .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" }),
  async handler({ files, from, owner, matchUsernames, createAccounts, name, team, dryRun, out, json }) {
    const isConversion = dryRun || out !== undefined;
    if (!isConversion && owner === undefined && !matchUsernames)
      throw new CliError("Specify the owner with --owner <username>. Nothing was changed.");
    if (out !== undefined && createAccounts)
      throw new CliError(
        "A group file has no addresses, so it can't be used to create accounts. Use --create-accounts without --out. Nothing was changed.",
      );
    if (out !== undefined) assertAbsent(out);
    const folder = await mkdtemp(join(tmpdir(), "fanfare-import-"));
    try {
      const report = new Report();
      const history = await open(IMPORTERS[from]!, files, { name, team }, report);
      const lines = () => convert(history, report, folder);
      const file = out ?? join(folder, "group.jsonl");
      if (dryRun) for await (const _line of lines()) continue;
      else await writeFileAtomically(file, (target) => pipeline(lines(), target));
      // Reading the messages has added their authors.
      const people = createAccounts ? peopleOf(history.users) : new Map();
      const group = isConversion
        ? null
        : await importGroup(loadConfig(), file, { owner, matchUsernames, people });
      if (group === null) report.add("users who get an account if they have none", people.size);
      else describeAccounts(group, report);
      const { renamed = [] } = group ?? {};
      const shown = json
        ? JSON.stringify({ ...report.toJSON(), group })
        : [
            report.toText(!isConversion),
            ...(renamed.length === 0 ? [] : ["", "Renamed:"]),
            ...renamed.map(({ from: before, to }) => `  ${printable(before)} is ${to}`),
            ...(group === null ? [] : ["", `Group ${group.groupId} has ${group.members} members.`]),
          ].join("\n");
      console.log(shown);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** Bots, deactivated accounts and unknown authors get none. */
const peopleOf = (users: Users): Map<string, ImportedPerson> =>
  new Map(
    [...users.values()].flatMap(({ key, username, name, email = "", isMember }) =>
      isMember ? [[userId(key), { username: username || name, email: email || null }] as const] : [],
    ),
  );

function describeAccounts(
  { accounts, renamed, unusedEmails }: Awaited<ReturnType<typeof importGroup>>,
  report: Report,
): void {
  report.add("new accounts", accounts);
  report.note("usernames of new accounts", "they are taken, or have other signs: see below", renamed.length);
  report.note("addresses of new accounts", "another account has them, or they are invalid", unusedEmails);
}

/** @throws {CliError} when the export can't be read */
async function open(
  importer: Importer,
  files: readonly string[],
  options: ImporterOptions,
  report: Report,
): Promise<History> {
  for (const file of files)
    await access(file, constants.R_OK).catch((error: Error) => {
      throw new CliError(`${file} cannot be read: ${error.message}`);
    });
  return importer(files, options, report).catch((error: unknown) => {
    throw toExportError(error);
  });
}

/**
 * The lines of a group file, which are checked like those of any other.
 * @throws {CliError} when the export can't be read
 */
async function* convert(history: History, report: Report, folder: string): AsyncGenerator<string> {
  try {
    yield* encodeGroupFile(checked(groupLines(history, report, folder)));
  } catch (error) {
    throw toExportError(error);
  }
}

function toExportError(error: unknown): unknown {
  if (!(error instanceof InvalidExportError || error instanceof InvalidLineError)) return error;
  const reason = printable(error.message.slice(0, MAX_ERROR_CHARS)).replace(/\.$/, "");
  return new CliError(`The export cannot be imported: ${reason}. Nothing was changed.`);
}

const printable = (text: string): string => text.replaceAll(CONTROLS, "\u{fffd}");

async function* checked(lines: AsyncIterable<GroupFileContent>): AsyncGenerator<GroupFileContent> {
  const checker = createGroupChecker();
  let number = 1;
  for await (const line of lines) {
    number += 1;
    checker.add({ number, line });
    yield line;
  }
  checker.finish();
}
