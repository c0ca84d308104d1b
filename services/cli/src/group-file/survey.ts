import { createGroupChecker, type Survey } from "@fanfare/group-file";
import { ofFile, readLines } from "./read-lines.ts";

/**
 * Reads a whole file, and throws unless everything that it refers to is in it.
 * @throws {CliError} with the number of the line
 */
export async function survey(file: string): Promise<Survey> {
  const checker = createGroupChecker();
  for await (const _line of readLines(file, (line) => checker.add(line))) continue;
  try {
    return checker.finish();
  } catch (error) {
    throw ofFile(file, error);
  }
}
