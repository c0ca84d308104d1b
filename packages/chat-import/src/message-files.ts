import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "@fanfare/contract";
import { splitLines } from "@fanfare/group-file";
import type { FoundFile } from "./export-files.ts";
import { type History, type HistoryMessage, nameOf } from "./history.ts";
import type { Report } from "./report.ts";

/** Paths in archives have at most 64 KiB, and a message at most ten files. */
const MAX_LINE_BYTES = 2 * 1024 * 1024;
const CHARS_PER_WRITE = 1024 * 1024;

/** A file that becomes an attachment. */
export interface KeptFile extends FoundFile {
  name: string;
  /** Shown in the message if storing it fails. */
  instead: string;
}

/** What becomes of the files of messages. */
export interface FileSink {
  maxBytes: number;
  /** Called in the order of the messages. */
  add(messageId: string, files: readonly KeptFile[]): Promise<void>;
}

/** @param sink null: no files are kept */
export async function keptFiles(
  { files, isDeleted }: HistoryMessage,
  history: History,
  sink: FileSink | null,
  report: Report,
): Promise<{ kept: KeptFile[]; instead: string[] }> {
  const kept: KeptFile[] = [];
  const instead: string[] = [];
  for (const file of isDeleted ? [] : files) {
    const found = sink === null ? null : await history.files.find(file.paths);
    const name = nameOf(LIMITS.fileNameMaxChars, "File", file.name);
    if (sink !== null && found !== null && found.bytes > 0 && found.bytes <= sink.maxBytes) {
      kept.push({ ...found, name, instead: file.instead.slice(0, LIMITS.messageMaxChars) });
      continue;
    }
    instead.push(file.instead);
    if (sink === null) report.note("files", "messages have their names or links");
    else if (found === null) report.note("missing files", history.missingFiles);
    else if (found.bytes === 0) report.note("empty files", "messages have their names");
    else report.note("large files", "they are larger than FILE_MAX_BYTES, and messages have their names");
  }
  return { kept, instead };
}

/** Only counts, for a dry run. */
export const countFiles = (report: Report, maxBytes: number): FileSink => ({
  maxBytes,
  async add(_messageId, files) {
    report.add("files", files.length);
  },
});

interface Listed {
  messageId: string;
  files: readonly KeptFile[];
}

/** The files of messages in a file of its own, because a group file has none. */
export class MessageFiles implements FileSink {
  readonly maxBytes: number;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  #waiting = "";

  constructor(folder: string, maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#path = join(folder, "files.jsonl");
  }

  async add(messageId: string, files: readonly KeptFile[]): Promise<void> {
    if (files.length === 0) return;
    // Keys can have the name of a temporary folder.
    this.#hash.update(JSON.stringify([messageId, ...files.map(({ name, bytes }) => [name, bytes])]));
    this.#waiting += `${JSON.stringify({ messageId, files } satisfies Listed)}\n`;
    if (this.#waiting.length >= CHARS_PER_WRITE) await this.#store();
  }

  /** Of the messages, names and sizes of all files. */
  hash(): string {
    return this.#hash.copy().digest("hex");
  }

  /** @returns the files of a message, for calls with each message in their order */
  async read(): Promise<(messageId: string) => Promise<readonly KeptFile[]>> {
    await this.#store();
    const lines = listed(this.#path);
    let next = await lines.next();
    return async (messageId) => {
      if (next.done === true || next.value.messageId !== messageId) return [];
      const { files } = next.value;
      next = await lines.next();
      return files;
    };
  }

  async #store(): Promise<void> {
    await appendFile(this.#path, this.#waiting, { mode: 0o600 });
    this.#waiting = "";
  }
}

async function* listed(path: string): AsyncGenerator<Listed, undefined> {
  for await (const line of splitLines(createReadStream(path), MAX_LINE_BYTES))
    yield JSON.parse(line.toString()) as Listed;
  return undefined;
}
