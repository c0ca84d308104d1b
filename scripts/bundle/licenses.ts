import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
}

const read = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The folders of the packages that these modules are from, without the packages of the workspace. */
export const packagesOf = (moduleIds: readonly string[]): string[] =>
  moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);

/** The folders of all packages that a workspace has as dependencies, and of their dependencies. */
export function dependenciesOf(workspace: string, names: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (parent: string, all: readonly string[]): void => {
    for (const name of all) {
      const folder = resolve(parent, name);
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      add(folder, Object.keys(read(folder).dependencies ?? {}));
    }
  };
  add(workspace, names);
  return packagesOf([...found]);
}

function resolve(parent: string, name: string): string | undefined {
  const path = join(parent, "node_modules", name);
  if (existsSync(join(path, "package.json"))) return realpathSync(path);
  return dirname(parent) === parent ? undefined : resolve(dirname(parent), name);
}

/** The licenses of the packages in these folders, as one text. */
export const licensesOf = (folders: readonly string[]): string =>
  [...new Set(folders)]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = read(folder);
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text =
        file === undefined ? `License: ${String(license)}` : readFileSync(join(folder, file), "utf8");
      return `${name} ${version}\n\n${text.trim()}\n`;
    })
    .join("\n----------\n\n");
