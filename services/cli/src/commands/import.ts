import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  countDirects,
  countFiles,
  describeImported,
  DirectMessages,
  groupFileText,
  type Imported,
  IMPORTERS,
  type ImportOrigin,
  MessageFiles,
  openExport,
  peopleOf,
  printable,
  Report,
  type Sinks,
} from "@fanfare/chat-import";
import { loadConfig } from "@fanfare/kernel";
import { CliError, command } from "../command.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";
import { importGroup, orCliError } from "./import-group.ts";

const outcomeOf = ({ kind, groupId, members }: Imported): string => {
  if (kind === "added") return `Added to group ${groupId}, with ${members} new members.`;
  const made = `Group ${groupId} has ${members} members.`;
  return kind === "continued" ? `${made}\nAn interrupted import was continued.` : made;
};

export const importCommand = command({
  command: "import <files..>",
  describe: "Import the history of another chat server, or add what is new in a later export",
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
      .option("without-direct-messages", {
        type: "boolean",
        default: false,
        describe: "Leave out direct messages",
      })
      .option("again", {
        type: "boolean",
        default: false,
        describe: "Make another group, instead of adding to the one of an earlier export",
      })
      .option("dry-run", { type: "boolean", default: false, describe: "Only report what would be imported" })
      .option("out", { type: "string", describe: "Only convert to this file, for import-group or the API" })
      .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" }),
  handler: (options) =>
    orCliError(async () => {
      const { files, from, owner, matchUsernames, createAccounts, name, team, dryRun, out, json } = options;
      // Given twice, it is a list.
      for (const [option, value] of Object.entries({ owner, name, team, media: options.media, out }))
        if (Array.isArray(value)) throw new CliError(`Specify --${option} only once. Nothing was changed.`);
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
          { name, team, media: options.media, folder },
          report,
        );
        const { fileMaxBytes } = loadConfig();
        const listed = new MessageFiles(folder, fileMaxBytes);
        const kept = new DirectMessages(folder);
        const sinks: Sinks = dryRun
          ? { files: countFiles(report, fileMaxBytes), directs: countDirects(report) }
          : { files: listed, directs: kept };
        if (options.withoutFiles || out !== undefined) sinks.files = null;
        if (options.withoutDirectMessages || out !== undefined) sinks.directs = null;
        const lines = () => groupFileText(history, report, folder, sinks);
        const file = out ?? join(folder, "group.jsonl");
        if (dryRun) for await (const _line of lines()) continue;
        else await writeFileAtomically(file, (target) => pipeline(lines(), target));
        // Reading the messages has added their authors.
        const people = createAccounts ? peopleOf(history.users) : new Map();
        const group = isConversion
          ? null
          : await importGroup(loadConfig(), file, { owner, matchUsernames, people }, listed, {
              files: { of: await listed.read(), open: (key) => history.files.open(key) },
              directs: sinks.directs === null ? null : kept,
              source: options.again
                ? null
                : {
                    key: `${from} ${history.source}`,
                    options: [owner, matchUsernames, createAccounts, options.withoutFiles],
                  },
            });
        if (group === null) report.add("possibleAccounts", people.size);
        else describeImported(group, report);
        const { renamed = [] } = group ?? {};
        const shown = json
          ? JSON.stringify({ ...report.toJSON(), group })
          : [
              report.toText(!isConversion),
              ...(renamed.length === 0 ? [] : ["", "Renamed:"]),
              ...renamed.map(({ from: before, to }) => `  ${printable(before)} is ${to}`),
              ...(group === null ? [] : ["", outcomeOf(group)]),
            ].join("\n");
        console.log(shown);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }),
});
