import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { writeBackup } from "../backup/write-backup.ts";

export const backupCommand: CommandModule<object, { file: string }> = {
  command: "backup <file>",
  describe: "Write everything of a stopped instance into one file",
  builder: (yargs) => yargs.positional("file", { type: "string", demandOption: true }),
  async handler({ file }) {
    const config = loadConfig();
    const { collections, files } = await writeBackup(config, file);
    const documents = Object.values(collections).reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${file}: ${documents} documents and ${files} files.\n`);
    if (config.s3 !== undefined) process.stdout.write("Files that lie in S3 are not in it.\n");
    if (config.mongoUrl !== undefined)
      process.stdout.write("It is of one moment only if nothing wrote to MONGO_URL meanwhile.\n");
  },
};
