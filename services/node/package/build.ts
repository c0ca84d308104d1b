import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown, type Plugin } from "rolldown";
import { programs } from "../../../scripts/bundle/programs.ts";

/**
 * Builds the server in dist: one program for each process and thread, with the code that it needs of our packages and of dependencies.
 * Loading the sources takes several times the CPU and memory: Node strips types in each thread, and every thread loads everything.
 */
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DIST = join(ROOT, "dist");
/** Replaces the former build only when it is complete. */
const folder = `${DIST}-${process.pid}`;
const SERVICES = join(ROOT, "..");

/** Its native code stays in node_modules of the service that uses it. */
const sharp: Plugin = {
  name: "sharp",
  resolveId: (source) =>
    source === "sharp"
      ? { id: join(SERVICES, "file/node_modules/sharp/dist/index.mjs"), external: "relative" }
      : null,
};

const bundle = await rolldown({
  input: { main: join(ROOT, "src/main.ts") },
  platform: "node",
  plugins: [programs, sharp],
  treeshake: {
    // A thread doesn't load modules of which it uses nothing, although they are part of a package's index.
    moduleSideEffects: [
      { test: /[\\/](?:compile-cache|[\w-]*main|[\w-]*worker)\.ts$/, sideEffects: true },
      { test: /\.ts$/, sideEffects: false },
    ],
  },
  transform: { target: "node24" },
});
await bundle.write({
  dir: folder,
  entryFileNames: "[name].js",
  // All in one folder, so that the relative addresses of programs are right everywhere.
  chunkFileNames: "[name]-[hash].js",
  // V8 keeps texts with other characters in twice the memory.
  charset: "ascii",
  comments: false,
  // Metrics, logs and Mongoose use the names of classes.
  keepNames: true,
});
copyFileSync(join(SERVICES, "user/src/common-passwords.txt"), join(folder, "common-passwords.txt"));
rmSync(DIST, { recursive: true, force: true });
renameSync(folder, DIST);
