import { runProgram } from "@fanfare/node";
import type { CommandModule } from "yargs";

/** Only in the npm package: elsewhere, the server is a program of its own. */
export const startCommand: CommandModule = {
  command: "start",
  describe: "Start the instance, as without a command",
  handler: () =>
    runProgram({
      start: "npx fanfare",
      measure: (url) => `npx fanfare-bench broadcast --users 1000 --url ${url}`,
    }),
};
