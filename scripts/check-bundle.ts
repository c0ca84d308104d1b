// Measures how much JavaScript a browser loads before a page is shown; fails if it exceeds the budget. Run
// `pnpm build` first.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Manifest, scriptsOf } from "./bundle/load.ts";

interface Budget {
  page: string;
  /** Modules loaded at once: the entry, then what it loads by itself. */
  modules: readonly string[];
  maxKilobytes: number;
}

/** The longer of the two languages. */
const TEXTS = "src/i18n/languages/zh.ts";
const APP = ["src/app/logged-in.tsx", "src/i18n/languages/zh-app.ts"];
const NEXT = [
  "src/i18n/languages/zh-next.ts",
  "src/composer/fields.ts",
  "src/app/next.ts",
  "src/ui/popups.ts",
];
const BUDGETS: readonly Budget[] = [
  { page: "login", modules: ["index.html", TEXTS, "src/session/landing.tsx"], maxKilobytes: 200 },
  { page: "first messages", modules: ["index.html", TEXTS, ...APP], maxKilobytes: 265 },
  { page: "first page of the app", modules: ["index.html", TEXTS, ...APP, ...NEXT], maxKilobytes: 400 },
];
const KILOBYTE = 1000;
const ROW = [34, 9];

const dist = process.argv[2] ?? fileURLToPath(new URL("../web/dist", import.meta.url));
const manifest = readManifest();
const row = (...cells: string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(ROW[0]!) : cell.padStart(ROW[1]!))).join(" ");
const kilobytes = (bytes: number): string => (bytes / KILOBYTE).toFixed(1);

let isOver = false;
for (const { page, modules, maxKilobytes } of BUDGETS) {
  const files = scriptsOf(manifest, modules).map((file) => {
    const content = readFileSync(join(dist, file));
    return { file, bytes: content.length, gzipped: gzipSync(content, { level: 9 }).length };
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const gzipped = files.reduce((sum, file) => sum + file.gzipped, 0);
  const over = gzipped > maxKilobytes * KILOBYTE;
  isOver ||= over;
  console.log(row(page, "kB", "gzip kB"));
  for (const file of files.toSorted((a, b) => b.gzipped - a.gzipped))
    console.log(row(`  ${file.file.replace("assets/", "")}`, kilobytes(file.bytes), kilobytes(file.gzipped)));
  console.log(row(`  ${files.length} files`, kilobytes(bytes), kilobytes(gzipped)));
  console.log(`  ${over ? "OVER" : "within"} the budget of ${maxKilobytes} kB\n`);
}
if (isOver) {
  console.error("Load later what a page doesn't need at once, or drop a library.");
  process.exitCode = 1;
}

function readManifest(): Manifest {
  const path = join(dist, ".vite", "manifest.json");
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Manifest;
  } catch (cause) {
    throw new Error(`No build found (${path}): run pnpm build first.`, { cause });
  }
}
