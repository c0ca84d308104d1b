import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown, type Plugin } from "rolldown";
import { copyServerFiles, SERVER_INPUT, SERVER_OUTPUT } from "../../../scripts/bundle/server-bundle.ts";

/**
 * Builds the server in dist: one program for each process and thread, with the code that it needs of our packages and of dependencies.
 * Loading the sources takes several times the CPU and memory: Node strips types in each thread, and every thread loads everything.
 */
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DIST = join(ROOT, "dist");
/** Replaces the former build only when it is complete. */
const folder = `${DIST}-${process.pid}`;

/** Its native code stays in node_modules of the service that uses it. */
const sharp: Plugin = {
  name: "sharp",
  resolveId: (source) =>
    source === "sharp"
      ? { id: join(ROOT, "../file/node_modules/sharp/dist/index.mjs"), external: "relative" }
      : null,
};

const bundle = await rolldown({
  ...SERVER_INPUT,
  input: { main: join(ROOT, "src/main.ts") },
  plugins: [...SERVER_INPUT.plugins, sharp],
});
await bundle.write({ ...SERVER_OUTPUT, dir: folder });
copyServerFiles(folder);
rmSync(DIST, { recursive: true, force: true });
renameSync(folder, DIST);
