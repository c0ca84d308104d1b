import { createReadStream } from "node:fs";
import { FaultyLine, readGroupFile, type NumberedLine } from "@fanfare/group-file";
import { CliError } from "../cli-error.ts";

/**
 * What lies between the first and the last line of a file.
 * @param check is shown each line, and may throw a FaultyLine
 * @throws {CliError} with the number of the line, when it is not what was written
 */
export async function* readLines(
  file: string,
  check: (line: NumberedLine) => void = () => undefined,
): AsyncGenerator<NumberedLine> {
  try {
    for await (const line of readGroupFile(createReadStream(file))) {
      check(line);
      yield line;
    }
  } catch (error) {
    throw ofFile(file, error);
  }
}

/** The same error as an operator is to read it. */
export function ofFile(file: string, error: unknown): unknown {
  if (error instanceof FaultyLine)
    return new CliError(`${file}, line ${error.line}: ${error.reason}. Nothing was changed.`);
  const { syscall, message } = error as NodeJS.ErrnoException;
  return syscall !== undefined ? new CliError(`${file} cannot be read: ${message}`) : error;
}
