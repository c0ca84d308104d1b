import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const webDir = join(import.meta.dirname, "../../web");

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the page, built as it is now, so that no older build is tested. */
    webBuild: string;
    /** Whether long tests are left out. */
    isShortRun: boolean;
  }
}

/** Once before all tests in the browser. */
export default async function build({ provide, vitest }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-web-"));
  const vite = join(webDir, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"];
  // NODE_ENV of the tests would make it a build for developers.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, args, { cwd: webDir, env });
  provide("webBuild", folder);
  provide("isShortRun", vitest.config.tagsFilter?.includes("!long") === true);
  return () => rm(folder, { recursive: true, force: true });
}
