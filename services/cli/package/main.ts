import "../../../scripts/env-file.ts";
import "@fanfare/kernel/compile-cache";
import { join } from "node:path";

process.env["WEB_DIR"] ||= join(import.meta.dirname, "web");
process.env["DOCS_DIR"] ||= join(import.meta.dirname, "docs");

// Imported dynamically so that it is compiled only once.
const { runCli } = await import("../src/cli.ts");
const { startCommand } = await import("./start.ts");
await runCli(process.argv.slice(2), [startCommand]);
