import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { withUserService } from "../user-node.ts";

export const resetTotpCommand: CommandModule<object, { username: string }> = {
  command: "reset-totp <username>",
  describe: "Take the second factor off an account whose owner has lost it",
  builder: (yargs) => yargs.positional("username", { type: "string", demandOption: true }),
  async handler({ username }) {
    await withUserService(loadConfig(), async (call) => {
      const { user } = await call("user.findByUsername", { username });
      await call("user.resetTotp", { userId: user.id });
    });
    process.stdout.write(
      `${username} logs in with the password alone, and can set up a new second factor.\n` +
        "Its sessions are ended; gateways that run close them within ten seconds.\n",
    );
  },
};
