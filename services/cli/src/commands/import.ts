import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  countDirects,
  countFiles,
  describeImported,
  describeMatches,
  destinationOf,
  DirectMessages,
  emailsOf,
  ExportSample,
  findOwner,
  groupFileText,
  type Imported,
  IMPORTERS,
  type ImportOrigin,
  ImportRefusedError,
  type ImportSource,
  MessageFiles,
  openExport,
  peopleOf,
  printable,
  Report,
  type Sinks,
  type Users,
} from "@fanfare/chat-import";
import { loadConfig } from "@fanfare/kernel";
import { CliError, command } from "../command.ts";
import { withDatabase } from "../open-instance.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";
import { importGroup, orCliError } from "./group-files.ts";

const outcomeOf = ({ kind, groupId, members }: Imported): string => {
  const noun = members === 1 ? "member" : "members";
  if (kind === "added") return `It has ${members === 0 ? "no" : members} new ${noun}.`;
  const made = `Group ${groupId} has ${members} ${noun}.`;
  return kind === "continued" ? `${made}\nAn interrupted import was continued.` : made;
};

/**
 * Adds the group, and the accounts that would be matched. Also beside a running instance, and where there is none.
 * @param owner of a new group
 * @param users null: they aren't matched
 * @throws {ImportRefusedError} when the owner doesn't exist
 */
async function describeInstance(
  report: Report,
  source: ImportSource,
  owner: string | undefined,
  users: Users | null,
): Promise<void> {
  try {
    const config = loadConfig();
    if (config.mongoUrl === undefined && !existsSync(join(config.dataDir, "db"))) {
      report.destination ??= { groupId: null, name: source.sample?.name ?? "" };
      return;
    }
    await withDatabase(config, async ({ db }) => {
      const found = await destinationOf(db, source);
      if (found.groupId === null && owner !== undefined) await findOwner(db, owner);
      report.destination ??= found;
      if (users !== null) await describeMatches(db, source, users, report);
    });
  } catch (error) {
    if (error instanceof ImportRefusedError) throw error;
    console.error(`The group is unknown: ${(error as Error).message}`);
  }
}

/** A conversion needs no instance, and no other setting. */
function maxFileBytes(isConversion: boolean): number {
  try {
    return loadConfig().fileMaxBytes;
  } catch (error) {
    if (!isConversion) throw error;
    return loadConfig({}).fileMaxBytes;
  }
}

export const importCommand = command({
  command: "import <files..>",
  describe: "Import the history of another chat server, or add what is new in a later export",
  builder: (yargs) =>
    yargs
      // The help would show an empty list as the default.
      .positional("files", { type: "string", array: true, demandOption: true, default: undefined })
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
        describe:
          "Match users in the export to existing accounts by verified address, or by username if the export has no addresses",
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
      .option("into", {
        type: "string",
        describe: "ID of the group of an earlier export, which a later one is added to",
      })
      .conflicts("into", ["again", "name", "out", "owner"])
      .option("again", {
        type: "boolean",
        // Without a default, which would conflict with --into.
        describe: "Make another group than that of an earlier export",
      })
      .option("dry-run", { type: "boolean", default: false, describe: "Only report what would be imported" })
      .option("out", { type: "string", describe: "Only convert to this file, for import-group or the API" })
      .option("json", { type: "boolean", default: false, describe: "Print the report as JSON" }),
  handler: (options) =>
    orCliError(async () => {
      const { files, from, owner, matchUsernames, createAccounts, name, team, into, dryRun, out, json } =
        options;
      // Given twice, it is a list.
      for (const [option, value] of Object.entries({ owner, name, team, media: options.media, into, out }))
        if (Array.isArray(value)) throw new CliError(`Specify --${option} only once. Nothing was changed.`);
      const isConversion = dryRun || out !== undefined;
      if (!isConversion && owner === undefined && into === undefined && !matchUsernames)
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
        const fileMaxBytes = maxFileBytes(isConversion);
        const listed = new MessageFiles(folder, fileMaxBytes);
        const kept = new DirectMessages(folder);
        const sinks: Sinks = dryRun
          ? { files: countFiles(report, fileMaxBytes), directs: countDirects(report) }
          : { files: listed, directs: kept };
        if (options.withoutFiles || out !== undefined) sinks.files = null;
        if (options.withoutDirectMessages || out !== undefined) sinks.directs = null;
        const sample = new ExportSample();
        const lines = () => groupFileText(history, report, folder, sinks, sample);
        const file = out ?? join(folder, "group.jsonl");
        if (dryRun) for await (const _line of lines()) continue;
        else await writeFileAtomically(file, (target) => pipeline(lines(), target));
        // Reading the messages has added their authors.
        const people = createAccounts ? peopleOf(history.users) : new Map();
        const key = `${from} ${history.source}`;
        const source = {
          options: [owner, matchUsernames, createAccounts, options.withoutFiles],
          ...(options.again
            ? { key: `${key} ${randomUUID()}`, sample: null, into: null }
            : { key, sample, into: into ?? null }),
        };
        if (dryRun && options.again) report.destination = { groupId: null, name: sample.name };
        if (dryRun) await describeInstance(report, source, owner, matchUsernames ? history.users : null);
        const group = isConversion
          ? null
          : await importGroup(
              loadConfig(),
              file,
              { owner, matchUsernames, emails: emailsOf(history.users), people },
              listed,
              {
                files: {
                  bytes: listed.bytes,
                  of: await listed.read(),
                  open: (key) => history.files.open(key),
                },
                directs: sinks.directs === null ? null : kept,
                source,
              },
            );
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
              ...(out === undefined || dryRun ? [] : ["", `Wrote ${out}.`]),
            ].join("\n");
        console.log(shown);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }),
});
