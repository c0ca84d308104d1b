import "./env-file.ts";
import { fileURLToPath } from "node:url";
import { buildDocs, buildWebClient } from "./build.ts";
import { supervise } from "./supervise.ts";

// `pnpm dev`: builds the web client if it is out of date, then runs the server, and restarts it when it crashes.

const PROGRAM = fileURLToPath(new URL("../services/node/src/main.ts", import.meta.url));

const built = buildWebClient();
void built.then(buildDocs);
await supervise(process.execPath, ["--max-semi-space-size=16", PROGRAM], built);
