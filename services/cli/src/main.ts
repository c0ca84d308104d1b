#!/usr/bin/env node
import "@fanfare/kernel/compile-cache";

// Imported now and not above, so that it is compiled only once.
await import("./cli.ts");
