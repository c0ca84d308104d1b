import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { databaseOf } from "../backup/documents.ts";
import { CliError } from "../cli-error.ts";
import { withDatabase } from "../open-stopped.ts";

/** As long as the user service remembers an ended session: the life of an access token, and a minute for clocks. */
const REMEMBERED_MS = 16 * 60 * 1000;

export const endSessionsCommand: CommandModule<object, { all: boolean; guests: boolean }> = {
  command: "end-sessions",
  describe: "Log everybody out; restart the gateways afterwards",
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
    const ended = await withDatabase(loadConfig(), async ({ connection }) => {
      const db = databaseOf(connection);
      const kept = guests ? [] : await db.collection("users").distinct("_id", { kind: "guest" });
      const revokedAt = new Date();
      const { modifiedCount } = await db
        .collection("sessions")
        .updateMany(
          { revokedAt: { $exists: false }, userId: { $nin: kept } },
          { $set: { revokedAt, expiresAt: new Date(revokedAt.getTime() + REMEMBERED_MS) } },
          { writeConcern: { w: "majority", j: true } },
        );
      return modifiedCount;
    });
    process.stdout.write(`${ended} sessions are ended. Restart the gateways, which do not know of it yet.\n`);
  },
};
