import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { importGroup } from "../group-file/import-group.ts";

interface Arguments {
  file: string;
  owner: string | undefined;
  "match-usernames": boolean;
}

export const importGroupCommand: CommandModule<object, Arguments> = {
  command: "import-group <file>",
  describe: "Make a group from such a file",
  builder: (yargs) =>
    yargs
      .positional("file", { type: "string", demandOption: true })
      .option("owner", { type: "string", describe: "Username of who is to own it" })
      .option("match-usernames", {
        type: "boolean",
        default: false,
        describe: "Take accounts here for those of the file with the same usernames",
      }),
  async handler({ file, owner, "match-usernames": matchUsernames }) {
    const made = await importGroup(loadConfig(), file, { owner, matchUsernames });
    process.stdout.write(
      `Group ${made.groupId} is made: ${made.messages} messages, ${made.members} members; ` +
        `${made.placeholders} users are known by their names alone.\n`,
    );
  },
};
