import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { DURABLE, ServiceError } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import { CliError, command } from "../command.ts";
import { loadInstanceConfig, withDatabase, withUserNode } from "../open-instance.ts";

export const createAdminCommand = command({
  command: "create-admin <username>",
  describe: "Create an admin account, or make an existing account an admin",
  builder: (yargs) => yargs.positional("username", { type: "string", demandOption: true }),
  async handler({ username }) {
    await withUserNode(loadInstanceConfig({ canBeNew: true }), async ({ services }) => {
      const existing = await services.user.findByUsername({ username }).catch((error: unknown) => {
        if (error instanceof ServiceError && error.type === "USER_NOT_FOUND") return null;
        throw error;
      });
      if (existing !== null) {
        await services.user.setAdmin({ userId: existing.user.id, admin: true }).catch(rethrowGuestError);
        console.log(`${username} is now an admin. It takes effect within 15 minutes.`);
        return;
      }
      await services.user.createAdmin({ username, password: await promptForPassword() });
      console.log(`Created the admin ${username}.`);
    });
  },
});

function rethrowGuestError(error: unknown): never {
  if (error instanceof ServiceError && error.type === "GUEST_NOT_ALLOWED")
    throw new CliError("Guests, bots, and disabled or deleted users can't be admins.");
  throw error;
}

/**
 * Prompts twice in a terminal, without echo. Otherwise reads the first line of standard input.
 * @throws {CliError} when it is missing or the two differ
 */
async function promptForPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    const [line = ""] = (await text(process.stdin)).split(/\r?\n/, 1);
    if (line === "") throw new CliError("Pass the password as the first line of the standard input.");
    return line;
  }
  // The reader echoes typed characters to its output, which is discarded.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const line = await reader.question("");
    process.stderr.write("\n");
    return line;
  };
  try {
    const password = await ask("Password: ");
    if ((await ask("Repeat password: ")) !== password) throw new CliError("The passwords don't match.");
    return password;
  } finally {
    reader.close();
  }
}

export const resetTotpCommand = command({
  command: "reset-totp <username>",
  describe: "Turn off two-step verification and remove the passkeys of a user who lost their device",
  builder: (yargs) => yargs.positional("username", { type: "string", demandOption: true }),
  async handler({ username }) {
    await withUserNode(loadInstanceConfig(), async ({ services }) => {
      const { user } = await services.user.findByUsername({ username });
      await services.user.resetTotp({ userId: user.id });
    });
    console.log(
      `${username} can now log in with just the password, and set up two-step verification again.\n` +
        "All sessions of the user have ended; running gateways close them within ten seconds.",
    );
  },
});

/** The number of ended sessions that a gateway remembers. */
const MAX_FOUND = 500_000;

export const endSessionsCommand = command({
  command: "end-sessions",
  describe: "Log out all users",
  builder: (yargs) =>
    yargs
      .option("all", { type: "boolean", default: false, describe: "Confirm that all users are logged out" })
      .option("guests", {
        type: "boolean",
        default: false,
        describe: "Also log out guests, who can't log in again",
      }),
  async handler({ all, guests }) {
    if (!all) throw new CliError("This logs out all users. Confirm with --all.");
    const ended = await withDatabase(loadInstanceConfig(), ({ db }) => endSessions(db, { guests }));
    console.log(`${ended} sessions have ended; running gateways close them within ten seconds.`);
    if (ended > MAX_FOUND) console.log(`Gateways handle at most ${MAX_FOUND} at once: restart them as well.`);
  },
});

/** Until the active users of the day are counted, as in the user service. There, those of bots are kept for less, and not counted. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const SESSIONS_AT_ONCE = 1000;

interface Session {
  _id: mongo.ObjectId;
  userId: mongo.ObjectId;
}

/**
 * Ends all sessions, including those opened meanwhile.
 * @returns the number of ended sessions
 */
export async function endSessions(db: mongo.Db, options: { guests: boolean }): Promise<number> {
  const sessions = db.collection<Session>("sessions");
  let ended = 0;
  let after: mongo.ObjectId | undefined;
  for (;;) {
    const living = { revokedAt: { $exists: false }, ...(after !== undefined && { _id: { $gt: after } }) };
    const page = await sessions
      .find(living, { projection: { userId: 1 } })
      .sort({ _id: 1 })
      .limit(SESSIONS_AT_ONCE)
      .toArray();
    after = page.at(-1)?._id;
    if (after === undefined) return ended;
    const kept = options.guests ? new Set<string>() : await guestsAmong(db, page);
    const _id = { $in: page.filter(({ userId }) => !kept.has(String(userId))).map((session) => session._id) };
    const revokedAt = new Date();
    const { modifiedCount } = await sessions.updateMany(
      { _id, revokedAt: { $exists: false } },
      {
        $set: { revokedAt, expiresAt: new Date(revokedAt.getTime() + KEPT_MS) },
        $unset: { address: 1, userAgent: 1 },
      },
      { writeConcern: DURABLE },
    );
    ended += modifiedCount;
  }
}

async function guestsAmong(db: mongo.Db, sessions: readonly Session[]): Promise<Set<string>> {
  const _id = { $in: sessions.map(({ userId }) => userId) };
  const guests = await db
    .collection("users")
    .find({ _id, kind: "guest" }, { projection: { _id: 1 } })
    .toArray();
  return new Set(guests.map((guest) => String(guest._id)));
}
