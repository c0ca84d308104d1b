import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

// Prints the size and structure of the source: `node scripts/measure-source.ts`. Tests, benchmarks and
// generated files don't count. Fails if a workspace imports another that it must not depend on.

const SOURCE = /^(?:benchmark|packages|scripts|services|web)\/.*\.tsx?$/;
const NOT_SOURCE = /\.test\.tsx?$|\.d\.ts$|(?:^|\/)(?:test|bench)\//;
const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+\.tsx?|@fanfare\/[^"/]+)/g;
const SMALL_LINES = 40;
/** Services that host others, or read what they store. */
const HOSTS = new Set(["services/node", "services/cli"]);

interface Source {
  path: string;
  lines: number;
  /** Paths of source files, and names of packages. */
  imports: string[];
}

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");
const sources = tracked.filter((path) => SOURCE.test(path) && !NOT_SOURCE.test(path)).map(read);
const roomNames = new Map(
  tracked
    .filter((path) => /^(?:packages|services)\/[^/]+\/package\.json$/.test(path))
    .map((path) => [(JSON.parse(readFileSync(path, "utf8")) as { name: string }).name, dirname(path)]),
);
const product = sources.filter(({ path }) => !path.startsWith("benchmark/"));

console.table(
  Object.fromEntries(
    ["packages", "services", "web", "scripts", "benchmark"].map((folder) => [
      folder,
      measure(sources.filter(({ path }) => path.startsWith(`${folder}/`))),
    ]),
  ),
);
console.table({ "all but benchmark": measure(product), all: measure(sources) });

const wrong = tracked.filter((path) => SOURCE.test(path)).flatMap((path) => wrongArrows(read(path)));
console.log(`Imports between workspaces that are not allowed: ${wrong.length}`);
for (const line of wrong) console.log(`  ${line}`);
if (wrong.length > 0) process.exitCode = 1;

/**
 * Packages import no services and nothing from test/, not even in their tests. Only node and cli import
 * services.
 */
function wrongArrows({ path, imports }: Source): string[] {
  const room = roomOf(path);
  return imports
    .map((target) => roomOf(roomNames.get(target) ?? target))
    .filter((target) => {
      if (room.startsWith("packages/")) return target.startsWith("services/") || target.startsWith("test/");
      if (!room.startsWith("services/") || NOT_SOURCE.test(path)) return false;
      return target.startsWith("services/") && target !== room && !HOSTS.has(room);
    })
    .map((target) => `${path} → ${target}`);
}

function roomOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function read(path: string): Source {
  const text = readFileSync(path, "utf8");
  const imports = [...text.matchAll(IMPORT)].map(([, target]) =>
    target!.startsWith(".") ? normalize(join(dirname(path), target!)) : target!,
  );
  return { path, lines: text.split("\n").length - 1, imports: [...new Set(imports)] };
}

function measure(files: readonly Source[]) {
  const lines = files.map((file) => file.lines).sort((a, b) => a - b);
  const importers = new Map<string, number>();
  for (const { imports } of sources)
    for (const target of imports) importers.set(target, (importers.get(target) ?? 0) + 1);
  const isSliver = ({ path, lines: count }: Source) => count < SMALL_LINES && importers.get(path) === 1;
  return {
    files: files.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    "median lines": at(lines, 0.5),
    "p90 lines": at(lines, 0.9),
    [`under ${SMALL_LINES} lines, one importer`]: files.filter(isSliver).length,
  };
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
