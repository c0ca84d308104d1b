import { loadConfig } from "@fanfare/kernel";
import type { CommandModule } from "yargs";
import { CliError } from "../cli-error.ts";
import { reseal } from "../reseal.ts";
import { withUserNode } from "../user-node.ts";

export const resealCommand: CommandModule = {
  command: "reseal",
  describe:
    "Seal with TOKEN_SECRET what TOKEN_SECRET_PREVIOUS has sealed: second factors, secrets of callbacks",
  async handler() {
    const config = loadConfig();
    if (config.tokenSecret === undefined || config.tokenSecretPrevious === undefined) {
      throw new CliError("Set TOKEN_SECRET to the new secret and TOKEN_SECRET_PREVIOUS to the one before.");
    }
    const { renewed, left, lost } = await withUserNode(config, reseal);
    process.stdout.write(`${renewed} are sealed anew, ${left} were already.\n`);
    if (lost.length === 0) return;
    process.exitCode = 1;
    process.stderr.write(`Neither secret opens:\n${lost.map((what) => `  ${what}\n`).join("")}`);
    process.stderr.write("For users: fanfare reset-totp; bots call bot.subscribe again.\n");
  },
};
