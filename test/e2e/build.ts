import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const webDir = join(import.meta.dirname, "../../web");

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the page, built from the current sources so that no stale build is tested. */
    webBuild: string;
    /** Whether long tests are skipped. */
    isShortRun: boolean;
  }
}

/** Runs once before all browser tests. */
export default async function build({ provide, vitest }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-web-"));
  const vite = join(webDir, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"];
  // The tests' NODE_ENV would make it a development build.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, args, { cwd: webDir, env });
  provide("webBuild", folder);
  provide("isShortRun", vitest.config.tagsFilter?.includes("!long") === true);
  return () => rm(folder, { recursive: true, force: true });
}
