import { createHash } from "node:crypto";
import { join } from "node:path";
import { type GroupFileLineOf, LIMITS } from "@fanfare/contract";
import type { FoundFile } from "./export-files.ts";
import { type History, type HistoryMessage, nameOf } from "./history.ts";
import type { Report } from "./report.ts";
import { JsonLines } from "./temporary-lines.ts";

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
  for (const file of isDeleted === true ? [] : files) {
    const found = sink === null ? null : await history.files.find(file.paths);
    const name = nameOf(LIMITS.fileNameMaxChars, "File", file.name);
    if (sink !== null && found !== null && found.bytes > 0 && found.bytes <= sink.maxBytes) {
      kept.push({ ...found, name, instead: file.instead.slice(0, LIMITS.messageMaxChars) });
      continue;
    }
    instead.push(file.instead);
    if (sink === null) report.note("filesLeftOut");
    else if (found === null) report.note(history.missingFiles);
    else if (found.bytes === 0) report.note("emptyFiles");
    else report.note("largeFiles");
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
  /** Of all. */
  bytes = 0;
  readonly #lines: JsonLines<Listed>;
  readonly #hash = createHash("sha256");

  constructor(folder: string, maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#lines = new JsonLines(join(folder, "files.jsonl"));
  }

  async add(messageId: string, files: readonly KeptFile[]): Promise<void> {
    if (files.length === 0) return;
    // Keys can have the name of a temporary folder.
    this.#hash.update(JSON.stringify([messageId, ...files.map(({ name, bytes }) => [name, bytes])]));
    for (const { bytes } of files) this.bytes += bytes;
    await this.#lines.add({ messageId, files });
  }

  /** Of the messages, names and sizes of all files. */
  hash(): string {
    return this.#hash.copy().digest("hex");
  }

  /** @returns the files of a message, for calls with each message in their order */
  async read(): Promise<(messageId: string) => Promise<readonly KeptFile[]>> {
    const lines = this.#lines.read();
    let next = await lines.next();
    return async (messageId) => {
      if (next.done === true || next.value.messageId !== messageId) return [];
      const { files } = next.value;
      next = await lines.next();
      return files;
    };
  }
}

/** A direct message with all that belongs to it. */
export interface DirectMessage {
  line: GroupFileLineOf<"message">;
  reactions: GroupFileLineOf<"reaction">[];
  files: readonly KeptFile[];
}

/** What becomes of direct messages. */
export interface DirectSink {
  /** Called by conversation and time. */
  add(message: DirectMessage): Promise<void>;
  /** @param members ids of users, by the id of the conversation */
  finish(members: ReadonlyMap<string, readonly string[]>): void;
}

/** Only counts, for a dry run. */
export function countDirects(report: Report): DirectSink {
  let last = "";
  return {
    async add({ line, files }) {
      if (line.channelId !== last) report.add("directConversations");
      last = line.channelId;
      report.add("directMessages");
      report.add("files", files.length);
    },
    finish: () => undefined,
  };
}

/** Keeps direct messages in a file of their own: others can get to read a group file. */
export class DirectMessages implements DirectSink {
  readonly #lines: JsonLines<DirectMessage>;
  members: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(folder: string) {
    this.#lines = new JsonLines(join(folder, "directs.jsonl"));
  }

  add(message: DirectMessage): Promise<void> {
    return this.#lines.add(message);
  }

  finish(members: ReadonlyMap<string, readonly string[]>): void {
    this.members = members;
  }

  /** In the order in which they were added. */
  read(): AsyncGenerator<DirectMessage, undefined> {
    return this.#lines.read();
  }
}
