import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  countFiles,
  describeImported,
  groupFileText,
  IMPORTERS,
  type ImportOrigin,
  MessageFiles,
  openExport,
  peopleOf,
  printable,
  Report,
} from "@fanfare/chat-import";
import { loadConfig } from "@fanfare/kernel";
import { CliError, command } from "../command.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";
import { importGroup, orCliError } from "./import-group.ts";

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
      .option("media", {
        type: "string",
        describe: "Folder with the files of messages, if the export has none",
      })
      .option("without-files", {
        type: "boolean",
        default: false,
        describe: "Import only names or links of files",
      })
      .option("again", {
        type: "boolean",
        default: false,
        describe: "Import an export that was already imported",
      })
      .option("dry-run", { type: "boolean", default: false, describe: "Only report what would be imported" })
      .option("out", { type: "string", describe: "Only convert to this file, for import-group or the API" })
      .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" }),
  handler: (options) =>
    orCliError(async () => {
      const { files, from, owner, matchUsernames, createAccounts, name, team, dryRun, out, json } = options;
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
        const history = await openExport(
          IMPORTERS[from as ImportOrigin],
          files,
          { name, team, media: options.media },
          report,
        );
        const { fileMaxBytes } = loadConfig();
        const listed = new MessageFiles(folder, fileMaxBytes);
        const counted = countFiles(report, fileMaxBytes);
        const sink = options.withoutFiles || out !== undefined ? null : dryRun ? counted : listed;
        const lines = () => groupFileText(history, report, folder, sink);
        const file = out ?? join(folder, "group.jsonl");
        if (dryRun) for await (const _line of lines()) continue;
        else await writeFileAtomically(file, (target) => pipeline(lines(), target));
        // Reading the messages has added their authors.
        const people = createAccounts ? peopleOf(history.users) : new Map();
        const group = isConversion
          ? null
          : await importGroup(loadConfig(), file, { owner, matchUsernames, people }, listed, {
              files: { of: await listed.read(), open: (key) => history.files.open(key) },
              source: options.again
                ? null
                : {
                    key: `${from} ${history.source}`,
                    options: [owner, matchUsernames, createAccounts, options.withoutFiles],
                  },
            });
        if (group === null) report.add("users who get an account if they have none", people.size);
        else describeImported(group, report);
        const { renamed = [] } = group ?? {};
        const shown = json
          ? JSON.stringify({ ...report.toJSON(), group })
          : [
              report.toText(!isConversion),
              ...(renamed.length === 0 ? [] : ["", "Renamed:"]),
              ...renamed.map(({ from: before, to }) => `  ${printable(before)} is ${to}`),
              ...(group === null ? [] : ["", `Group ${group.groupId} has ${group.members} members.`]),
              ...(group?.isContinued === true ? ["An interrupted import was continued."] : []),
            ].join("\n");
        console.log(shown);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }),
});
