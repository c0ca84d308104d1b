import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { exportGroup } from "../group-file/export-group.ts";

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
