import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

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
      const folder = resolvePackage(parent, name);
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      add(folder, Object.keys(read(folder).dependencies ?? {}));
    }
  };
  add(workspace, names);
  return packagesOf([...found]);
}

function resolvePackage(parent: string, name: string): string | undefined {
  const path = join(parent, "node_modules", name);
  if (existsSync(join(path, "package.json"))) return realpathSync(path);
  return dirname(parent) === parent ? undefined : resolvePackage(dirname(parent), name);
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

/** The file of a thread or a child process, beside the code that starts it. */
const PROGRAM = /new URL\(\s*"(\.[^"]*)\.ts",\s*import\.meta\.url,?\s*\)/g;

interface Bundler {
  emitFile(file: { type: "chunk"; fileName: string; id: string }): string;
}

/** A Rolldown plugin that makes the files of threads and child processes entries in the folder of the main one. */
export const programs = {
  name: "programs",
  transform(this: Bundler, code: string, id: string): string | null {
    if (!PROGRAM.test(code)) return null;
    return code.replaceAll(PROGRAM, (_, path: string) => {
      const name = basename(path);
      if (name !== "main")
        this.emitFile({ type: "chunk", fileName: `${name}.js`, id: resolve(dirname(id), `${path}.ts`) });
      return `new URL("./${name}.js", import.meta.url)`;
    });
  },
};

const SERVICES = fileURLToPath(new URL("../../services/", import.meta.url));

/** How Rolldown bundles the server: one program for each process and thread, with the code that it needs. */
export const SERVER_INPUT = {
  platform: "node" as const,
  plugins: [programs],
  treeshake: {
    // A thread doesn't load modules of which it uses nothing, although they are part of a package's index.
    moduleSideEffects: [
      { test: /[\\/](?:compile-cache|env-file|[\w-]*main|[\w-]*worker)\.ts$/, sideEffects: true },
      { test: /\.ts$/, sideEffects: false },
    ],
  },
  transform: { target: "node24" },
};

export const SERVER_OUTPUT = {
  entryFileNames: "[name].js",
  // All in one folder, so that the relative addresses of programs are right everywhere.
  chunkFileNames: "[name]-[hash].js",
  // V8 keeps texts with other characters in twice the memory.
  charset: "ascii" as const,
  comments: false,
  // Metrics, logs and Mongoose use the names of classes.
  keepNames: true,
};

/** Copies the files that the server reads from the folder of its programs. */
export function copyServerFiles(folder: string): void {
  copyFileSync(join(SERVICES, "user/src/common-passwords.txt"), join(folder, "common-passwords.txt"));
}
