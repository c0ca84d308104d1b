#!/usr/bin/env node
import "@fanfare/kernel/compile-cache";

// Imported now and not above, so that it is compiled only once.
const { runCli } = await import("./cli.ts");
await runCli(process.argv.slice(2));
