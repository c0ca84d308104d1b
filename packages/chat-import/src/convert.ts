import { access, constants, mkdir, stat } from "node:fs/promises";
import { getSystemErrorMessage } from "node:util";
import { createWriteStream } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { GroupFileContent, ImportFailure } from "@fanfare/contract";
import { createGroupChecker, encodeGroupFile, InvalidLineError } from "@fanfare/group-file";
import { discordHistory } from "./discord.ts";
import { groupLines } from "./group-lines.ts";
import { type History, type Importer, type ImporterOptions, userId, type Users } from "./history.ts";
import type { Imported } from "./import-group.ts";
import type { ExportSample } from "./import-record.ts";
import { ImportRefusedError, type ImportedPerson } from "./import-steps.ts";
import { InvalidExportError, archiveBytes, assertFreeSpace, openArchive } from "./inputs.ts";
import { mattermostHistory } from "./mattermost.ts";
import type { Sinks } from "./message-lines.ts";
import { printable, type Report } from "./report.ts";
import { rocketChatHistory } from "./rocketchat.ts";
import { slackHistory } from "./slack.ts";
import { tailchatHistory } from "./tailchat.ts";

export type ImportOrigin = "slack" | "discord" | "mattermost" | "rocketchat" | "tailchat";
export const IMPORTERS: Record<ImportOrigin, Importer> = {
  slack: slackHistory,
  discord: discordHistory,
  mattermost: mattermostHistory,
  rocketchat: rocketChatHistory,
  tailchat: tailchatHistory,
};
const MAX_ERROR_CHARS = 300;

/** Bots, deactivated accounts and unknown authors get none. */
export const peopleOf = (users: Users): Map<string, ImportedPerson> =>
  new Map(
    [...users.values()].flatMap(({ key, username, name, email = "", isMember }) =>
      isMember ? [[userId(key), { username: username || name, email: email || null }] as const] : [],
    ),
  );

/** Adds what an import has stored, and what it could not. */
export function describeImported(imported: Imported, report: Report): void {
  const { files, directs, accounts, renamed, unusedEmails, known } = imported;
  const { deletedHere, changedHere } = imported;
  report.destination = { groupId: imported.kind === "added" ? imported.groupId : null, name: imported.name };
  // The report has counted all that the export has.
  if (imported.fresh !== null) report.replace(imported.fresh);
  report.note("alreadyImported", known + directs.known);
  report.note("deletedHere", deletedHere + directs.deletedHere);
  report.note("changedHere", changedHere + directs.changedHere);
  report.note("formerMembers", imported.formerMembers);
  report.add("directConversations", directs.channelIds.length);
  report.add("directMessages", directs.messages);
  report.note("directsWithoutAccount", directs.withoutAccount);
  report.note("largeDirects", directs.large);
  report.note("directsOverLimit", directs.overLimit);
  report.add("files", files.stored + directs.files.stored);
  report.note("damagedFiles", files.damaged + directs.files.damaged);
  report.note("filesOverQuota", files.full + directs.files.full);
  report.matches = imported.matches;
  report.note("unverifiedMatches", imported.unverified);
  report.add("newAccounts", accounts);
  report.note("renamedAccounts", renamed.length);
  report.note("unusedAddresses", unusedEmails);
}

/** @throws {ImportRefusedError} when the export can't be read */
export async function openExport(
  importer: Importer,
  files: readonly string[],
  options: ImporterOptions,
  report: Report,
): Promise<History> {
  const { media } = options;
  for (const file of media === undefined ? files : [...files, media])
    await access(file, constants.R_OK).catch(({ errno, message }: NodeJS.ErrnoException) => {
      const reason = errno === undefined ? message : getSystemErrorMessage(errno);
      throw new ImportRefusedError(`${file} cannot be read: ${reason}.`);
    });
  return importer(files, options, report).catch((error: unknown) => {
    throw toExportError(error);
  });
}

/**
 * The lines of a group file, which are checked like those of any other.
 * @param sample gets them
 * @throws {ImportRefusedError} when the export can't be read
 */
export async function* groupFileText(
  history: History,
  report: Report,
  folder: string,
  sinks: Sinks,
  sample: ExportSample,
): AsyncGenerator<string> {
  try {
    yield* encodeGroupFile(checked(groupLines(history, report, folder, sinks), sample));
  } catch (error) {
    throw toExportError(error);
  }
}

export function toExportError(error: unknown): unknown {
  if (!(error instanceof InvalidExportError || error instanceof InvalidLineError)) return error;
  const reason = shown(error.message).replace(/\.$/, "");
  return new ImportRefusedError(
    `The export cannot be imported: ${reason}. Nothing was changed.`,
    error instanceof InvalidExportError ? shownFailure(error.failure) : undefined,
  );
}

/** Exports can have long names, with control characters. */
const shown = (text: string): string => printable(text.slice(0, MAX_ERROR_CHARS).toWellFormed());

const shownFailure = ({ code, details = {} }: ImportFailure): ImportFailure => ({
  code,
  details: Object.fromEntries(Object.entries(details).map(([name, text]) => [name, shown(text)])),
});

async function* checked(
  lines: AsyncIterable<GroupFileContent>,
  sample: ExportSample,
): AsyncGenerator<GroupFileContent> {
  const checker = createGroupChecker();
  let number = 1;
  for await (const line of lines) {
    number += 1;
    checker.add({ number, line });
    sample.add(line);
    yield line;
  }
  checker.finish();
}

const ZIP = /\.zip$/i;
const MAX_FILES = 1_000_000;
const AT_ONE_PATH: ReadonlySet<string | undefined> = new Set(["EEXIST", "ENOTDIR", "EISDIR"]);
const MAX_BYTES = 200 * 1024 ** 3;

/** In the folder of uploaded files: the unpacked exports of running imports. Backups don't have it. */
export const IMPORTS_FOLDER = "imports";

/**
 * What an importer reads of one uploaded file: the file itself, or what is in the archive.
 * @param folder a new one, for the content of an archive
 * @throws {InvalidExportError} when the archive is damaged, too large, or has paths that lead out of the folder
 */
export async function inputsOf(origin: ImportOrigin, file: string, folder: string): Promise<string[]> {
  if (origin === "slack" || origin === "mattermost") return [file];
  if (origin === "discord" && !ZIP.test(file)) return [file];
  if (!ZIP.test(file)) throw new InvalidExportError("pack the folder of the dump into a ZIP file");
  const files = await unpack(file, folder);
  if (origin === "discord") return [folder];
  const users = files.find((path) => /^users\.bson(?:\.gz)?$/.test(basename(path)));
  if (users === undefined) throw new InvalidExportError("the archive has no dump: it has no users.bson");
  return [dirname(users)];
}

async function unpack(file: string, folder: string): Promise<string[]> {
  const entries = [...(await openArchive(file)).values()].filter(({ path }) => !path.startsWith("__MACOSX/"));
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (entries.length > MAX_FILES || bytes > MAX_BYTES)
    throw new InvalidExportError("the archive has too many files, or unpacks to more than 200 GiB");
  // What is packed already hardly gets smaller in the archive.
  const packed = entries.reduce((sum, entry) => sum + (entry.path.endsWith(".gz") ? entry.bytes : 0), 0);
  if (packed > 1024 ** 2 + 2 * (await stat(file)).size)
    throw new InvalidExportError("the archive has files that are packed several times");
  const root = resolve(folder);
  await assertFreeSpace(root, bytes);
  const paths: string[] = [];
  for (const entry of entries) {
    const path = resolve(join(root, entry.path));
    const inside = relative(root, path);
    if (entry.path.includes("\0") || inside === "" || inside.split(sep)[0] === "..")
      throw new InvalidExportError("the archive has a path that leads out of it");
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(archiveBytes(entry), createWriteStream(path, { flags: "wx", mode: 0o600 }));
    } catch (error) {
      if (!AT_ONE_PATH.has((error as NodeJS.ErrnoException).code)) throw error;
      throw new InvalidExportError("the archive has two files at one path, so it is damaged");
    }
    paths.push(path);
  }
  return paths;
}
