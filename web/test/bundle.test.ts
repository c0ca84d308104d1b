import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** The modules of the page as it is built. */
async function modulesOfPage(): Promise<string[]> {
  const outDir = await mkdtemp(join(tmpdir(), "fanfare-web-"));
  const modules: string[] = [];
  const collect = {
    name: "collect-modules",
    generateBundle(_: unknown, bundle: Record<string, { type: string; modules?: object }>) {
      for (const part of Object.values(bundle)) modules.push(...Object.keys(part.modules ?? {}));
    },
  };
  try {
    await build({ root, logLevel: "error", plugins: [collect], build: { outDir, minify: false } });
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
  return modules;
}

test("what the page loads has no schemas: the contract gives it values and types only", async () => {
  const modules = await modulesOfPage();
  expect(modules.some((id) => id.endsWith("contract/src/limits.ts"))).toBe(true);
  expect(modules.filter((id) => /\/node_modules\/(\.pnpm\/)?zod[@/]/.test(id))).toEqual([]);
  const ofContract = modules.filter((id) => id.includes("/packages/contract/"));
  expect(ofContract.map((id) => id.split("/contract/src/")[1])).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/^(index|actions|entities|events)/)]),
  );
});
