import { loadConfig, ServiceError } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { askPassword } from "../ask-password.ts";
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
