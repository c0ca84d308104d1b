import type { Rollup } from "vite";

/** The scripts and styles that every page loads: the entries and their static imports. */
export function shellFiles(bundle: Rollup.OutputBundle): string[] {
  return loadedFiles(bundle, ({ isEntry }) => isEntry).toSorted();
}

/** The scripts and styles of some chunks and their static imports. */
export function loadedFiles(
  bundle: Rollup.OutputBundle,
  isWanted: (chunk: Rollup.OutputChunk) => boolean,
): string[] {
  const files = new Set<string>();
  const add = (name: string): void => {
    const file = bundle[name];
    if (file?.type !== "chunk" || files.has(name)) return;
    files.add(name);
    for (const style of file.viteMetadata?.importedCss ?? []) files.add(style);
    for (const imported of file.imports) add(imported);
  };
  for (const [name, file] of Object.entries(bundle)) if (file.type === "chunk" && isWanted(file)) add(name);
  return [...files];
}

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

const imported = new Map<string, Set<string>>();

/** A module and all that it imports statically. */
export function importedBy(root: string, graph: Graph): ReadonlySet<string> {
  const known = imported.get(root);
  if (known !== undefined) return known;
  const ids = new Set<string>();
  const add = (id: string): void => {
    if (ids.has(id)) return;
    ids.add(id);
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each);
  };
  add(root);
  imported.set(root, ids);
  return ids;
}
