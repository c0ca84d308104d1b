import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin, type Rollup } from "vite";
import { loadedFiles, shellFiles } from "./shell-files.ts";

const WORKER = join(import.meta.dirname, "../src/service-worker/worker.ts");
/** Also without a network. */
const LOGIN = "/src/session/landing.tsx";
/** Files of public/ that every page requests. */
const PUBLIC = ["theme.js", "favicon.svg"];

/** Builds the service worker after the application, with the list of files to precache. */
export function serviceWorker(): Plugin {
  return {
    name: "fanfare-service-worker",
    apply: "build",
    async writeBundle({ dir }, bundle: Rollup.OutputBundle) {
      if (dir === undefined) throw new Error("The service worker is built into a folder.");
      const login = loadedFiles(bundle, ({ facadeModuleId }) => facadeModuleId?.endsWith(LOGIN) === true);
      const files = [...new Set([...shellFiles(bundle), ...login, ...PUBLIC])];
      const hash = createHash("sha256");
      for (const file of ["index.html", ...files]) hash.update(file).update(readFileSync(join(dir, file)));
      await build({
        configFile: false,
        logLevel: "warn",
        define: {
          PRECACHE: JSON.stringify(["/", ...files.map((file) => `/${file}`)]),
          VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
        },
        build: {
          outDir: dir,
          emptyOutDir: false,
          copyPublicDir: false,
          rolldownOptions: { input: WORKER, output: { format: "iife", entryFileNames: "sw.js" } },
        },
      });
    },
  };
}
