import { join } from "node:path";
import type { GroupFileLineOf } from "@fanfare/contract";
import { JsonLines } from "./json-lines.ts";
import type { KeptFile } from "./message-files.ts";
import type { Report } from "./report.ts";

/** A message of 10,000 characters, and 20 reactions of as many users as there are. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

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
    this.#lines = new JsonLines(join(folder, "directs.jsonl"), MAX_LINE_BYTES);
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
