import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { withUserService } from "../user-node.ts";

export const resetTotpCommand: CommandModule<object, { username: string }> = {
  command: "reset-totp <username>",
  describe: "Take the second factor off an account whose owner has lost it",
  builder: (yargs) => yargs.positional("username", { type: "string", demandOption: true }),
  async handler({ username }) {
    const mayRun = await withUserService(loadConfig(), async (call, isRunning) => {
      const { user } = await call("user.findByUsername", { username });
      await call("user.resetTotp", { userId: user.id });
      return isRunning;
    });
    const say = (line: string) => process.stdout.write(`${line}\n`);
    say(`${username} logs in with the password alone, and can set up a new second factor.`);
    if (mayRun)
      say(
        "Its sessions are ended. Restart the gateways, which do not know of it yet: until then pages that are open go on.",
      );
  },
};
