import {
  type GroupOrigin,
  type Imported,
  importGroup as importInto,
  ImportRefusedError,
  type MessageFiles,
  survey,
  type UserOptions,
} from "@fanfare/chat-import";
import { createImportedFiles } from "@fanfare/file";
import { type Config, loadConfig, ServiceError } from "@fanfare/kernel";
import { createImportedAccounts } from "@fanfare/user";
import { CliError, command } from "../command.ts";
import { withStoppedNode } from "../open-instance.ts";

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
        describe: "Match users in the file to existing accounts by username",
      }),
  handler: ({ file, owner, matchUsernames }) =>
    orCliError(async () => {
      const imported = await importGroup(
        loadConfig(),
        file,
        { owner, matchUsernames, people: new Map() },
        null,
      );
      console.log(
        `Imported as group ${imported.groupId}: ${imported.messages} messages, ${imported.members} members. ` +
          `Users without an account here: ${imported.placeholders}.`,
      );
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
      if (!isRefused && origin !== undefined && origin.source !== null)
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
