import { pipeline } from "node:stream/promises";
import { groupFile } from "@fanfare/group-file";
import { loadConfig, type Config } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { CliError } from "../cli-error.ts";
import { groupOfDatabase } from "../group-file/group-of-database.ts";
import { withStopped } from "../open-stopped.ts";
import { assertAbsent, writeWhole } from "../whole-file.ts";

export const exportGroupCommand: CommandModule<object, { groupId: string; file: string }> = {
  command: "export-group <groupId> <file>",
  describe: "Write a group and its messages into a file of JSON lines",
  builder: (yargs) =>
    yargs
      .positional("groupId", { type: "string", demandOption: true })
      .positional("file", { type: "string", demandOption: true }),
  async handler({ groupId, file }) {
    const lines = await exportGroup(loadConfig(), groupId, file);
    process.stdout.write(`${file}: ${lines} lines.\n`);
  },
};

/**
 * Writes a group into a file, which has its name only when it is whole.
 * @returns how many lines it has
 * @throws {CliError} when there is no such group, the file exists, or a running instance holds the data folder
 */
async function exportGroup(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  groupId: string,
  file: string,
): Promise<number> {
  if (!/^[0-9a-f]{24}$/.test(groupId)) throw new CliError("An id of a group has 24 hexadecimal digits.");
  await assertAbsent(file);
  return withStopped(config, async ({ connection }) => {
    let count = 0;
    async function* counted(): AsyncGenerator<string> {
      for await (const line of groupFile(groupOfDatabase(databaseOf(connection), groupId))) {
        count += 1;
        yield line;
      }
    }
    await writeWhole(file, (target) => pipeline(counted(), target));
    return count;
  });
}
