import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from "vitest/node";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const KEPT = new URL("durations.json", import.meta.url);
/** Shorter files fill the end of a run in any order. */
const KEPT_FROM_SECONDS = 3;
const PRINTED = 10;

const kept = JSON.parse(readFileSync(KEPT, "utf8")) as Record<string, number>;
const pathOf = (moduleId: string): string => relative(ROOT, moduleId);

/**
 * Starts the longest files of each project first: vitest only knows durations after a first run on the same
 * machine.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number => kept[pathOf(moduleId)] ?? 0;
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const place = ({ project }: TestSpecification): number => projects.indexOf(project);
    return sorted.sort((a, b) => place(a) - place(b) || seconds(b) - seconds(a));
  }
}

/**
 * Prints the slowest files at the end of a run. With KEEP_DURATIONS=1 it saves the durations for LongestFirst.
 */
export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const measured = modules
      .map((module) => ({ path: pathOf(module.moduleId), seconds: module.diagnostic().duration / 1000 }))
      .sort((a, b) => b.seconds - a.seconds);
    if (measured.length > PRINTED) {
      const lines = measured
        .slice(0, PRINTED)
        .map((file) => `${file.seconds.toFixed(1).padStart(6)} s  ${file.path}`);
      console.log(`\n Slowest test files\n${lines.join("\n")}\n`);
    }
    if (process.env["KEEP_DURATIONS"] === "1") keep(measured);
  }
}

/** Files that didn't run keep their durations as long as they exist. */
function keep(measured: readonly { path: string; seconds: number }[]): void {
  const all = { ...kept, ...Object.fromEntries(measured.map(({ path, seconds }) => [path, seconds])) };
  const slow = Object.entries(all)
    .filter(([path, seconds]) => seconds >= KEPT_FROM_SECONDS && existsSync(join(ROOT, path)))
    .map(([path, seconds]) => [path, Math.round(seconds)] as const)
    .sort(([, a], [, b]) => b - a);
  writeFileSync(KEPT, `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`);
}
