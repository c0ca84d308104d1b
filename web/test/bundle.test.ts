import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** A chunk of the build manifest. */
interface Part {
  type: string;
  fileName: string;
  facadeModuleId?: string | null;
  modules?: object;
  imports?: readonly string[];
  /** Of an asset. */
  source?: string | Uint8Array;
}

let parts: readonly Part[];
beforeAll(async () => {
  const built = await build({ root, logLevel: "error", build: { write: false, minify: false } });
  if (!("output" in built)) throw new Error("There is one bundle.");
  parts = built.output;
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

test("the page lists the application's files, which are preloaded after a login", () => {
  const html = String(parts.find(({ fileName }) => fileName === "index.html")!.source);
  const lists = [...html.matchAll(/<meta name="preload-(\w+)" content="([^"]+)" data-app="([^"]+)"/g)];
  expect(lists.map(([, language]) => language)).toEqual(["en", "zh"]);
  for (const [, language, texts, app] of lists) {
    for (const [listed, modules] of [
      [texts!, [`i18n/languages/${language}.ts`]],
      [app!, ["app/logged-in.tsx", `i18n/languages/${language}-app.ts`]],
    ] as const) {
      const files = listed.split(" ").map((path) => path.slice(1));
      const chunks = parts.filter(({ fileName }) => files.includes(fileName));
      expect(chunks).toHaveLength(files.length);
      for (const module of modules)
        expect(chunks.some(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${module}`))).toBe(true);
    }
  }
});

/** Classes of one of these kinds set a color, or a width or size that has the same prefix. */
const COLOR_CLASS =
  /(?<=["'`\s])(?:[\w-]+:)*(?:bg|text|border|fill|stroke|ring|outline|decoration|accent|caret|divide|placeholder)-[\w/.-]+(?=["'`\s])/g;

test("every color class in the source exists in the built CSS", () => {
  const css = parts
    .flatMap(({ fileName, source }) => (fileName.endsWith(".css") ? [String(source)] : []))
    .join("");
  const built = new Set(css.match(/\.(?:[\w-]|\\.)+/g)?.map((name) => name.slice(1).replaceAll("\\", "")));
  const cwd = join(root, "src");
  const missing = globSync("**/*.tsx", { cwd }).flatMap((file) => {
    const used = new Set(readFileSync(join(cwd, file), "utf8").match(COLOR_CLASS));
    return [...used].filter((name) => !built.has(name)).map((name) => `${file}: ${name}`);
  });
  expect(built).toContain("hover:bg-accent-hover");
  expect(missing).toEqual([]);
});
