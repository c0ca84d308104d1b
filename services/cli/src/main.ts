#!/usr/bin/env node
import "@fanfare/kernel/compile-cache";

// Imported dynamically so that it is compiled only once.
const { runCli } = await import("./cli.ts");
await runCli(process.argv.slice(2));
