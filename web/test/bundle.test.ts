import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** A chunk of the build manifest. */
interface Part {
  type: string;
  fileName: string;
  modules?: object;
  imports?: readonly string[];
}

let parts: Part[];
beforeAll(async () => {
  const outDir = await mkdtemp(join(tmpdir(), "fanfare-web-"));
  const collect = {
    name: "collect-parts",
    generateBundle(_: unknown, bundle: Record<string, Part>) {
      parts = Object.values(bundle);
    },
  };
  try {
    await build({ root, logLevel: "error", plugins: [collect], build: { outDir, minify: false } });
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
});

test("the bundle contains no schemas of the contract", () => {
  const modules = parts.flatMap((part) => Object.keys(part.modules ?? {}));
  expect(modules.some((id) => id.endsWith("contract/src/limits.ts"))).toBe(true);
  expect(modules.filter((id) => /\/node_modules\/(\.pnpm\/)?zod[@/]/.test(id))).toEqual([]);
  const ofContract = modules.filter((id) => id.includes("/packages/contract/"));
  expect(ofContract.map((id) => id.split("/contract/src/")[1])).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/^(index|actions|entities|events)/)]),
  );
});

test("chunks do not import each other in a cycle", () => {
  const imports = new Map(parts.map((part) => [part.fileName, part.imports ?? []]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    for (const imported of imports.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(imports.size).toBeGreaterThan(10);
  expect(cycles).toEqual([]);
});
