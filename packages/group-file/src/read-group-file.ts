import { createHash } from "node:crypto";
import {
  GROUP_FILE_FORMAT,
  GROUP_FILE_VERSION,
  GroupFileLineSchema,
  type GroupFileContent,
  type GroupFileLine,
} from "@fanfare/contract";
import { z } from "zod";

/** Several times the size of the longest message. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface NumberedLine {
  number: number;
  line: GroupFileContent;
}

/**
 * Reads the lines between header and end. The file is verified only once all of them have been read.
 * @throws {InvalidLineError} if the file was modified or truncated
 */
export async function* readGroupFile(chunks: AsyncIterable<Buffer>): AsyncGenerator<NumberedLine> {
  const hash = createHash("sha256");
  let number = 0;
  let isWhole = false;
  for await (const bytes of splitLines(chunks)) {
    number += 1;
    if (isWhole) throw new InvalidLineError(number, "there is data after the end line");
    const line = parse(number, bytes);
    if ((line.type === "header") !== (number === 1))
      throw new InvalidLineError(number, "the header must be the first line and appear only once");
    if (line.type === "end") {
      if (line.lines !== number - 1) throw new InvalidLineError(number, "the number of lines does not match");
      if (line.sha256 !== hash.digest("hex"))
        throw new InvalidLineError(number, "the checksum does not match");
      isWhole = true;
      continue;
    }
    hash.update(bytes).update("\n");
    if (line.type !== "header") yield { number, line };
  }
  if (!isWhole) throw new InvalidLineError(number + 1, "the end line is missing: the file is truncated");
}

function parse(number: number, bytes: Buffer): GroupFileLine {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new InvalidLineError(number, "not valid JSON");
  }
  const version = z.object({ format: z.literal(GROUP_FILE_FORMAT), version: z.number() }).safeParse(value);
  if (number === 1 && version.success && version.data.version !== GROUP_FILE_VERSION) {
    const reason = `version ${version.data.version} is not supported, only ${GROUP_FILE_VERSION}`;
    throw new InvalidLineError(number, reason);
  }
  const parsed = GroupFileLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidLineError(number, `${issue!.path.join(".") || "this"}: ${issue!.message}`);
}

/**
 * Yields the lines without their newlines.
 * @throws {InvalidLineError} if a line is longer than `maxBytes`, or the last one doesn't end
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, to);
      if (restBytes + line.length > maxBytes) throw new InvalidLineError(number, "the line is too long");
      yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
      rest = [];
      restBytes = 0;
      number += 1;
      from = to + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    restBytes += chunk.length - from;
    if (restBytes > maxBytes) throw new InvalidLineError(number, "the line is too long");
  }
  if (restBytes > 0) throw new InvalidLineError(number, "the file is truncated within this line");
}

/** Control characters, removed because the reason can quote the file and terminals would interpret them. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const MAX_REASON_CHARS = 300;

/** An invalid line of a group file, with the reason. */
export class InvalidLineError extends Error {
  override readonly name = "InvalidLineError";
  readonly line: number;
  readonly reason: string;

  constructor(line: number, why: string) {
    const reason = why.slice(0, MAX_REASON_CHARS).replaceAll(CONTROLS, "\u{fffd}");
    super(`line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}
