import { open, readFile } from "node:fs/promises";
import { usageError } from "../../cli/exit.ts";
import { PROGRAM } from "../../cli/program.ts";
import type { GroupAccess } from "../../targets/fanfare/meeting.ts";

/** What `register` writes and `connect` reads. */
export interface TokenFile extends GroupAccess {
  version: typeof VERSION;
  url: string;
  /** Access tokens of the group's members, and when the first of them expires (ISO 8601). */
  tokens: string[];
  expiresAt: string;
}

const VERSION = 1;
/** Anyone who can read the file can sign in as any of the users. */
const OWNER_ONLY = 0o600;

export async function writeTokenFile(
  file: string,
  url: string,
  access: Omit<TokenFile, "version" | "url">,
): Promise<void> {
  const content: TokenFile = { version: VERSION, url, ...access };
  const handle = await open(file, "w", OWNER_ONLY);
  try {
    // An existing file may have been readable by everyone.
    await handle.chmod(OWNER_ONLY);
    await handle.writeFile(`${JSON.stringify(content)}\n`);
  } finally {
    await handle.close();
  }
}

/** @throws {ExitError} if the file is unreadable or invalid, or its tokens have expired */
export async function readTokenFile(file: string, now = new Date()): Promise<TokenFile> {
  const content = parse(file, await readTokens(file));
  if (new Date(content.expiresAt) <= now) {
    throw usageError(
      `The tokens in ${file} expired at ${content.expiresAt}. Create new ones: ${PROGRAM} register --url ${content.url} --out ${file}`,
    );
  }
  return content;
}

/** @throws {ExitError} if the file is unreadable */
export async function readTokens(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw usageError(`Could not read --tokens ${file}: ${(error as Error).message}.`);
  }
}

function parse(file: string, text: string): TokenFile {
  try {
    const content = JSON.parse(text) as Partial<TokenFile> | null;
    const { version, url, groupId, channelId, owner, tokens, expiresAt } = content ?? {};
    const isComplete = [url, groupId, channelId, owner?.username, owner?.password, expiresAt].every(
      (part) => typeof part === "string",
    );
    if (version === VERSION && isComplete && Array.isArray(tokens) && tokens.length > 0)
      return content as TokenFile;
  } catch {
    // Reported below.
  }
  throw usageError(`${file} was not written by ${PROGRAM} register.`);
}
