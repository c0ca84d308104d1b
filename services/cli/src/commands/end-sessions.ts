import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { CliError } from "../cli-error.ts";
import { endSessions } from "../end-sessions.ts";
import { withDatabase } from "../open-stopped.ts";

/** What a gateway remembers of ended sessions. */
const MAX_FOUND = 500_000;

export const endSessionsCommand: CommandModule<object, { all: boolean; guests: boolean }> = {
  command: "end-sessions",
  describe: "Log everybody out",
  builder: (yargs) =>
    yargs
      .option("all", { type: "boolean", default: false, describe: "So that nobody says it by accident" })
      .option("guests", {
        type: "boolean",
        default: false,
        describe: "Guests too: they have no password and cannot come back",
      }),
  async handler({ all, guests }) {
    if (!all) throw new CliError("This logs everybody out: say --all.");
    const ended = await withDatabase(loadConfig(), ({ connection }) =>
      endSessions(databaseOf(connection), { guests }),
    );
    process.stdout.write(
      `${ended} sessions are ended; gateways that run close them within ten seconds.\n` +
        (ended > MAX_FOUND ? `They find no more than ${MAX_FOUND} at once: restart them as well.\n` : ""),
    );
  },
};
