import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { type Rollup, build } from "vite";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("what the page loads has no schemas: the contract gives it values and types only", async () => {
  const result = (await build({
    root,
    // Only the page itself: nothing is written, compressed or kept.
    configFile: false,
    plugins: [react(), tailwind()],
    logLevel: "error",
    build: { write: false, minify: false },
  })) as Rollup.RollupOutput;
  const modules = result.output.flatMap((part) => (part.type === "chunk" ? Object.keys(part.modules) : []));
  expect(modules.some((id) => id.includes("/react/"))).toBe(true);
  expect(modules.some((id) => id.endsWith("contract/src/limits.ts"))).toBe(true);
  expect(modules.filter((id) => /\/node_modules\/(\.pnpm\/)?zod[@/]/.test(id))).toEqual([]);
  const ofContract = modules.filter((id) => id.includes("/packages/contract/"));
  expect(ofContract.map((id) => id.split("/contract/src/")[1])).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/^(index|actions|entities|events)/)]),
  );
});
