import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { GroupFileContent } from "@fanfare/contract";
import { createGroupChecker, encodeGroupFile, InvalidLineError } from "@fanfare/group-file";
import { loadConfig } from "@fanfare/kernel";
import { CliError, command } from "../command.ts";
import { discordHistory } from "../import/discord.ts";
import { groupLines } from "../import/group-lines.ts";
import type { Importer, ImporterOptions } from "../import/history.ts";
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
      .option("name", { type: "string", describe: "Name of the new group" })
      .option("team", { type: "string", describe: "Team or group to import, of an export with several" })
      .option("dry-run", { type: "boolean", default: false, describe: "Only report what would be imported" })
      .option("out", { type: "string", describe: "Only convert to this file, for import-group or the API" })
      .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" }),
  async handler({ files, from, owner, matchUsernames, name, team, dryRun, out, json }) {
    const isConversion = dryRun || out !== undefined;
    if (!isConversion && owner === undefined && !matchUsernames)
      throw new CliError("Specify the owner with --owner <username>. Nothing was changed.");
    if (out !== undefined) assertAbsent(out);
    const folder = await mkdtemp(join(tmpdir(), "fanfare-import-"));
    try {
      const report = new Report();
      const lines = () => convert(IMPORTERS[from]!, files, { name, team }, report, folder);
      if (dryRun) for await (const _line of lines()) continue;
      else
        await writeFileAtomically(out ?? join(folder, "group.jsonl"), (target) => pipeline(lines(), target));
      const group = isConversion
        ? null
        : await importGroup(loadConfig(), join(folder, "group.jsonl"), { owner, matchUsernames });
      const shown = json
        ? JSON.stringify({ ...report.toJSON(), group })
        : [
            report.toText(!isConversion),
            ...(group === null ? [] : ["", `Group ${group.groupId} has ${group.members} members.`]),
          ].join("\n");
      console.log(shown);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/**
 * The lines of a group file, which are checked like those of any other.
 * @throws {CliError} when the export can't be read
 */
async function* convert(
  importer: Importer,
  files: readonly string[],
  options: ImporterOptions,
  report: Report,
  folder: string,
): AsyncGenerator<string> {
  for (const file of files)
    await access(file, constants.R_OK).catch((error: Error) => {
      throw new CliError(`${file} cannot be read: ${error.message}`);
    });
  try {
    const history = await importer(files, options, report);
    yield* encodeGroupFile(checked(groupLines(history, report, folder)));
  } catch (error) {
    if (!(error instanceof InvalidExportError || error instanceof InvalidLineError)) throw error;
    const reason = error.message
      .slice(0, MAX_ERROR_CHARS)
      .replaceAll(CONTROLS, "\u{fffd}")
      .replace(/\.$/, "");
    throw new CliError(`The export cannot be imported: ${reason}. Nothing was changed.`);
  }
}

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
