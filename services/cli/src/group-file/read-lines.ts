import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import {
  GROUP_FILE_FORMAT,
  GROUP_FILE_VERSION,
  GroupFileLineSchema,
  type GroupFileContent,
} from "@fanfare/contract";
import { z } from "zod";
import { CliError } from "../cli-error.ts";

/** Several times the longest message. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface NumberedLine {
  number: number;
  line: GroupFileContent;
}

/** Of one line of the file. */
export function lineError(file: string, number: number, reason: string): CliError {
  return new CliError(`${file}, line ${number}: ${reason}. Nothing was changed.`);
}

/**
 * What lies between the first and the last line. Only when it has come to its end is the file known to be whole.
 * @throws {CliError} with the number of the line, when it is not what was written
 */
export async function* readLines(file: string): AsyncGenerator<NumberedLine> {
  const hash = createHash("sha256");
  let number = 0;
  let isWhole = false;
  for await (const bytes of splitLines(file)) {
    number += 1;
    if (isWhole) throw lineError(file, number, "something follows the end");
    const line = parse(file, number, bytes);
    if ((line.type === "header") !== (number === 1))
      throw lineError(file, number, "the header is the first line, and no other");
    if (line.type === "end") {
      if (line.lines !== number - 1) throw lineError(file, number, "lines are missing, or were added");
      if (line.sha256 !== hash.digest("hex")) throw lineError(file, number, "the checksum is another one");
      isWhole = true;
      continue;
    }
    hash.update(bytes).update("\n");
    if (line.type !== "header") yield { number, line };
  }
  if (!isWhole) throw lineError(file, number + 1, "the end is missing: the file was cut off");
}

function parse(file: string, number: number, bytes: Buffer) {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw lineError(file, number, "this is no JSON");
  }
  const version = z.object({ format: z.literal(GROUP_FILE_FORMAT), version: z.number() }).safeParse(value);
  if (number === 1 && version.success && version.data.version !== GROUP_FILE_VERSION) {
    const reason = `it has version ${version.data.version}, and this program knows ${GROUP_FILE_VERSION}`;
    throw lineError(file, number, reason);
  }
  const parsed = GroupFileLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw lineError(file, number, `${issue!.path.join(".") || "this"}: ${issue!.message}`);
}

/** Each ends in a newline, which is not part of it. */
async function* splitLines(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 1;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
        yield bytes.subarray(from, to);
        number += 1;
        from = to + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > MAX_LINE_BYTES) throw lineError(file, number, "it is too long");
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CliError(`${file} cannot be read: ${message}`);
  }
  if (rest.length > 0) throw lineError(file, number, "the file was cut off in it");
}
