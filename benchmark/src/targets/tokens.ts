import { chmod, readFile, writeFile } from "node:fs/promises";
import { usageError } from "../cli/exit.ts";
import { count } from "../report/format.ts";

/** Anyone who can read the file can sign in as any of the users. */
const OWNER_ONLY = 0o600;

/** One token a line. */
export async function writeTokens(file: string, tokens: readonly string[]): Promise<void> {
  await writeFile(file, "", { mode: OWNER_ONLY });
  // An existing file may have been readable by everyone.
  await chmod(file, OWNER_ONLY);
  await writeFile(file, tokens.map((token) => `${token}\n`).join(""));
}

/** The users of --tokens. */
export interface ExistingUsers {
  senderToken: string;
  memberTokens: readonly string[];
  channel: string | undefined;
}

/** Access tokens have none of these characters, unlike JSON and CSV files. */
const NO_TOKEN = /[\s{}[\]",;]|^$/;

/**
 * @param members how many are needed
 * @throws {ExitError} if the file or the options are incomplete
 */
export async function existingUsers(
  { tokens: file, channel, url }: Record<"tokens" | "channel" | "url", string | undefined>,
  members: number,
): Promise<ExistingUsers | undefined> {
  if (file === undefined) {
    if (channel !== undefined) throw usageError("--channel is only for --tokens.");
    return undefined;
  }
  if (url === undefined) throw usageError("--tokens belong to a running server: set its --url.");
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw usageError(`Could not read --tokens ${file}: ${error.message}.`);
  });
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const wrong = lines.findIndex((line) => NO_TOKEN.test(line));
  if (wrong !== -1) {
    const what = lines[wrong] === "" ? "empty" : "not a token";
    throw usageError(
      `--tokens ${file}: line ${wrong + 1} is ${what}. Write one access token per line, the sender's first.`,
    );
  }
  const [senderToken = "", ...memberTokens] = lines;
  if (memberTokens.length < members) {
    throw usageError(
      `--tokens ${file} has ${count(lines.length, "line")}, but ${members + 1} are needed: the sender's token, and one for each of ${count(members, "member")}.`,
    );
  }
  return { senderToken, memberTokens, channel };
}

/** @throws {ExitError} without --channel */
export function withChannel<T extends { channel: string | undefined }>(
  existing: T,
  target: string,
): T & { channel: string } {
  const { channel } = existing;
  if (channel !== undefined) return { ...existing, channel };
  throw usageError(`--tokens of ${target} need --channel: the ID of the channel that the users share.`);
}
