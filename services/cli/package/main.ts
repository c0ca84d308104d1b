import "../../../scripts/env-file.ts";
import "@fanfare/kernel/compile-cache";
import { join } from "node:path";

process.env["WEB_DIR"] ||= join(import.meta.dirname, "web");
process.env["DOCS_DIR"] ||= join(import.meta.dirname, "docs");

// Imported dynamically so that it is compiled only once.
const [{ runCli }, { runProgram }] = await Promise.all([import("../src/cli.ts"), import("@fanfare/node")]);
await runCli(process.argv.slice(2), [
  {
    command: "start",
    describe: "Start the instance, as without a command",
    handler: () =>
      runProgram({
        start: "npx fanfare",
        measure: (url) => `npx fanfare-bench broadcast --users 1000 --url ${url}`,
      }),
  },
]);
