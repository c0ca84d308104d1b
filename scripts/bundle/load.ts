/** An entry of Vite's manifest, as far as it is needed here. */
export interface ManifestChunk {
  file: string;
  /** Keys of chunks that are loaded with it. */
  imports?: readonly string[];
}

export type Manifest = Readonly<Record<string, ManifestChunk>>;

/**
 * The files of JavaScript that are loaded before a page is there: those of its modules and of all that they import.
 * @throws {Error} when the manifest does not have a module
 */
export function scriptsOf(manifest: Manifest, modules: readonly string[]): string[] {
  const files = new Set<string>();
  const add = (key: string): void => {
    const chunk = manifest[key];
    if (chunk === undefined) {
      throw new Error(`${key} is no chunk of its own: say in scripts/check-bundle.ts what the page loads.`);
    }
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const key of modules) add(key);
  return [...files].filter((file) => file.endsWith(".js"));
}
