import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programs } from "./programs.ts";

const SERVICES = fileURLToPath(new URL("../../services/", import.meta.url));

/** How Rolldown bundles the server: one program for each process and thread, with the code that it needs. */
export const SERVER_INPUT = {
  platform: "node" as const,
  plugins: [programs],
  treeshake: {
    // A thread doesn't load modules of which it uses nothing, although they are part of a package's index.
    moduleSideEffects: [
      { test: /[\\/](?:compile-cache|env-file|[\w-]*main|[\w-]*worker)\.ts$/, sideEffects: true },
      { test: /\.ts$/, sideEffects: false },
    ],
  },
  transform: { target: "node24" },
};

export const SERVER_OUTPUT = {
  entryFileNames: "[name].js",
  // All in one folder, so that the relative addresses of programs are right everywhere.
  chunkFileNames: "[name]-[hash].js",
  // V8 keeps texts with other characters in twice the memory.
  charset: "ascii" as const,
  comments: false,
  // Metrics, logs and Mongoose use the names of classes.
  keepNames: true,
};

/** Copies the files that the server reads from the folder of its programs. */
export function copyServerFiles(folder: string): void {
  copyFileSync(join(SERVICES, "user/src/common-passwords.txt"), join(folder, "common-passwords.txt"));
}
