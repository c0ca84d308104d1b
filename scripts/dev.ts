import "./env-file.ts";
import { fileURLToPath } from "node:url";
import { buildDocs, buildWebClient } from "./build.ts";
import { startCalls } from "./livekit.ts";
import { supervise } from "./supervise.ts";

// `pnpm dev`: builds the web client if it is out of date, starts a LiveKit server for calls if one is installed, then runs the server,
// and restarts it when it crashes.

const PROGRAM = fileURLToPath(new URL("../services/node/src/main.ts", import.meta.url));

const built = buildWebClient();
void built.then(buildDocs);
const started = startCalls(process.env, (line) => process.stderr.write(`${line}\n`));

async function prepare(): Promise<void> {
  const [calls] = await Promise.all([started, built]);
  Object.assign(process.env, calls?.settings);
}

await supervise(process.execPath, ["--max-semi-space-size=16", PROGRAM], prepare());
// A signal came before the first start.
await (await started)?.livekit.stop();
