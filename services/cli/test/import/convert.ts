import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GroupFileContent, GroupFileLineOf } from "@fanfare/contract";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createGroupChecker } from "@fanfare/group-file";
import { makeZip } from "@fanfare/testing";
import { groupLines } from "@fanfare/chat-import";
import type { Importer, ImporterOptions, Users } from "@fanfare/chat-import";
import type { DirectMessage, KeptFile, Sinks } from "@fanfare/chat-import";
import { Report, userId } from "@fanfare/chat-import";

const MAX_FILE_BYTES = 100;

export interface Converted {
  lines: GroupFileContent[];
  report: ReturnType<Report["toJSON"]>;
  /** Of the messages in the channel with the name, or in the threads of all. */
  texts: (channel: string | null) => string[];
  of: <T extends GroupFileContent["type"]>(type: T) => GroupFileLineOf<T>[];
  users: Users;
  /** By the keys of their members. */
  directs: Record<string, DirectMessage[]>;
  /** Of kept files, by name. */
  contents: Record<string, string>;
  note: (what: string) => number;
}

/**
 * Converts an export with files of the given names and contents.
 * @param more files beside those that the command names
 */
export async function convert(
  importer: Importer,
  files: Record<string, Buffer | string>,
  options: Partial<ImporterOptions> = {},
  more: Record<string, Buffer | string> = {},
): Promise<Converted> {
  return withFolder({ ...files, ...more }, (folder) =>
    convertFiles(
      importer,
      Object.keys(files).map((name) => join(folder, name)),
      options,
    ),
  );
}

/** Converts an export that was unpacked to a folder. */
export const convertFolder = (
  importer: Importer,
  files: Record<string, Buffer | string>,
): Promise<Converted> => withFolder(files, (folder) => convertFiles(importer, [folder]));

async function withFolder<T>(
  files: Record<string, Buffer | string>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-export-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Converts an export like the command does, and checks the result like an import does. */
export async function convertFiles(
  importer: Importer,
  paths: readonly string[],
  options: Partial<ImporterOptions> = {},
): Promise<Converted> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-convert-"));
  try {
    const report = new Report();
    const history = await importer(
      paths,
      { name: undefined, team: undefined, media: undefined, folder, ...options },
      report,
    );
    const lines: GroupFileContent[] = [];
    const checker = createGroupChecker();
    const files: KeptFile[] = [];
    const direct: DirectMessage[] = [];
    let members: ReadonlyMap<string, readonly string[]> = new Map();
    const sinks: Sinks = {
      files: { maxBytes: MAX_FILE_BYTES, add: async (_id, some) => void files.push(...some) },
      directs: { add: async (one) => void direct.push(one), finish: (all) => void (members = all) },
    };
    for await (const line of groupLines(history, report, folder, sinks)) {
      lines.push(line);
      checker.add({ number: lines.length + 1, line });
    }
    checker.finish();
    const of = <T extends GroupFileContent["type"]>(type: T) =>
      lines.filter((line): line is GroupFileLineOf<T> => line.type === type);
    return {
      lines,
      report: report.toJSON(),
      of,
      users: history.users,
      directs: Object.fromEntries(
        [...members].map(([id, ids]) => [
          [...history.users.keys()]
            .filter((key) => ids.includes(userId(key)))
            .toSorted()
            .join(" "),
          direct.filter(({ line }) => line.channelId === id),
        ]),
      ),
      contents: await Promise.all(
        files.map(async ({ name, key }) => [name, await text(Readable.from(await history.files.open(key)))]),
      ).then((entries) => Object.fromEntries(entries)),
      texts(name) {
        const places = of("channel").filter((one) =>
          name === null ? one.kind === "thread" : one.name === name,
        );
        const ids = new Set(places.map(({ id }) => id));
        return of("message").flatMap(({ channelId, content }) => (ids.has(channelId) ? [content] : []));
      },
      note: (what) => report.toJSON().notes.find((one) => one.what === what)?.count ?? 0,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An archive of JSON files. */
export const zipOf = (files: Record<string, unknown>): Buffer =>
  makeZip(
    Object.entries(files).map(([name, value]) => ({ name, content: Buffer.from(JSON.stringify(value)) })),
  );
