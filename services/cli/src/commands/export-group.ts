import { pipeline } from "node:stream/promises";
import { createGroupService } from "@fanfare/group";
import { groupFile, groupOfServices } from "@fanfare/group-file";
import type { Config } from "@fanfare/kernel";
import { createMessageService } from "@fanfare/message";
import { createUserService } from "@fanfare/user";
import { CliError, command } from "../command.ts";
import { explainInUse, loadInstanceConfig, withNode } from "../open-instance.ts";
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
