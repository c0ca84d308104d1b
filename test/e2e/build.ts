import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPages } from "../../scripts/build.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the page, built from the current sources. */
    webBuild: string;
  }
}

/** Runs once before all browser tests. */
export default async function build({ provide }: TestProject): Promise<void> {
  await buildPages("web");
  provide("webBuild", join(import.meta.dirname, "../../web/dist"));
}
