import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { loadConfig, ServiceError } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { CliError } from "../cli-error.ts";
import { withUserService } from "../user-node.ts";

export const createAdminCommand: CommandModule<object, { username: string }> = {
  command: "create-admin <username>",
  describe: "Make an account that runs the instance, or let an existing one do so",
  builder: (yargs) => yargs.positional("username", { type: "string", demandOption: true }),
  async handler({ username }) {
    await withUserService(loadConfig(), async (call) => {
      const existing = await call("user.findByUsername", { username }).catch((error: unknown) => {
        if (error instanceof ServiceError && error.type === "USER_NOT_FOUND") return null;
        throw error;
      });
      if (existing !== null) {
        await call("user.setAdmin", { userId: existing.user.id, admin: true }).catch(refuseGuest);
        process.stdout.write(`${username} is an admin, with the next access token (15 minutes at most).\n`);
        return;
      }
      await call("user.createAdmin", { username, password: await askPassword() });
      process.stdout.write(`The admin ${username} is made.\n`);
    });
  },
};

function refuseGuest(error: unknown): never {
  if (error instanceof ServiceError && error.type === "GUEST_NOT_ALLOWED")
    throw new CliError("A guest, a bot, and whoever is disabled or deleted cannot be an admin.");
  throw error;
}

/**
 * Asks twice where there is a terminal, without showing what is typed. Otherwise it is the first line of the standard input.
 * @throws {CliError} when there is none, or the two differ
 */
async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    const [line = ""] = (await text(process.stdin)).split(/\r?\n/, 1);
    if (line === "") throw new CliError("Give the password as the first line of the standard input.");
    return line;
  }
  // The terminal echoes through the reader's output: into nothing.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const answer = await reader.question("");
    process.stderr.write("\n");
    return answer;
  };
  try {
    const password = await ask("Password: ");
    if ((await ask("Once more: ")) !== password) throw new CliError("The two are not the same.");
    return password;
  } finally {
    reader.close();
  }
}
