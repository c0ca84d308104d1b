import "./env-file.ts";
import { runProgram } from "@fanfare/node";
import { buildPage } from "./build-page.ts";

// `pnpm dev`: builds the page where that is due, then runs the whole program in this process.

await buildPage();
await runProgram();
