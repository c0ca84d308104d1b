import { pipeline } from "node:stream/promises";
import { createGroupService } from "@fanfare/group";
import { groupFile, groupOfServices } from "@fanfare/group-file";
import { type Config, loadConfig, ServiceError } from "@fanfare/kernel";
import { createMessageService } from "@fanfare/message";
import { createUserService, createImportedAccounts } from "@fanfare/user";
import {
  type GroupOrigin,
  type Imported,
  importGroup as importInto,
  ImportRefusedError,
  matchLines,
  type MessageFiles,
  removeInterrupted,
  survey,
  type UserOptions,
} from "@fanfare/chat-import";
import { createImportedFiles } from "@fanfare/file";
import { CliError, command } from "../command.ts";
import { explainInUse, loadInstanceConfig, withNode, withStoppedNode } from "../open-instance.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";

export const exportGroupCommand = command({
  command: "export-group <groupId> <file>",
  describe: "Export a group and its messages to a JSON Lines file",
  builder: (yargs) =>
    yargs
      .positional("groupId", { type: "string", demandOption: true })
      .positional("file", { type: "string", demandOption: true }),
  async handler({ groupId, file }) {
    const lines = await exportGroup(loadInstanceConfig(), groupId, file);
    console.log(`${file}: ${lines} lines. Uploaded files and the group's own emoji are left out.`);
  },
});

/**
 * Writes a group to a file that only gets its name when it is complete.
 * @returns the number of lines
 * @throws {CliError} when the file exists, or a running instance holds the data folder
 * @throws {ServiceError} GROUP_NOT_FOUND
 */
async function exportGroup(config: Config, groupId: string, file: string): Promise<number> {
  if (!/^[0-9a-f]{24}$/.test(groupId)) throw new CliError("A group ID has 24 hexadecimal digits.");
  assertAbsent(file);
  const factories = [createGroupService, createMessageService, createUserService];
  const exported = withNode(config, ["group", "message", "user"], factories, async ({ services }) => {
    let count = 0;
    async function* counted(): AsyncGenerator<string> {
      for await (const line of groupFile(groupOfServices(services, groupId))) {
        count += 1;
        yield line;
      }
    }
    await writeFileAtomically(file, (target) => pipeline(counted(), target));
    return count;
  });
  return exported.catch((error: unknown) => {
    throw explainInUse(error);
  });
}

export const importGroupCommand = command({
  command: "import-group <file>",
  describe: "Import a group from such a file",
  builder: (yargs) =>
    yargs
      .positional("file", { type: "string", demandOption: true })
      .option("owner", { type: "string", describe: "Username of the owner" })
      .option("match-usernames", {
        type: "boolean",
        default: false,
        describe:
          "Match users in the file to existing accounts by username, which anyone can have registered",
      }),
  handler: ({ file, owner, matchUsernames }) =>
    orCliError(async () => {
      const imported = await importGroup(
        loadConfig(),
        file,
        { owner, matchUsernames, emails: new Map(), people: new Map() },
        null,
      );
      console.log(
        `Imported as group ${imported.groupId}: ${imported.messages} messages, ${imported.members} members. ` +
          `Users without an account here: ${imported.placeholders}.`,
      );
      if (imported.matches !== null) {
        console.log(`Matched by username: ${imported.matches.accounts.length}.`);
        for (const line of matchLines(imported.matches.accounts)) console.log(line);
      }
    }),
});

/**
 * Creates a group from a file, which is validated before anything is written.
 * @throws {ImportRefusedError} for an invalid file, or when there is no account to own the group
 */
export async function importGroup(
  config: Config,
  file: string,
  options: UserOptions,
  files: MessageFiles | null,
  origin?: GroupOrigin,
): Promise<Imported> {
  const surveyed = await survey(file, files);
  return withStoppedNode(config, async (node) => {
    const storing = createImportedFiles(node);
    const target = {
      db: node.database.db!,
      imported: createImportedAccounts(node),
      storing,
      policy: node.policy,
    };
    try {
      return await importInto(target, surveyed, options, origin);
    } catch (error) {
      const isRefused = error instanceof ImportRefusedError || error instanceof ServiceError;
      const source = isRefused ? null : (origin?.source ?? null);
      // One without a sample, of `--again`, can't be continued. What can't be removed now is removed by the next import.
      if (source !== null && source.sample === null)
        await removeInterrupted(target, new AbortController().signal).catch(() => undefined);
      else if (source !== null)
        console.error("The import was interrupted. Run the same command again to continue it.");
      throw error;
    } finally {
      await storing.close();
    }
  });
}

/** Prints what the operator can do about a refused import. */
export async function orCliError(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof ImportRefusedError ? new CliError(error.message) : error;
  }
}
