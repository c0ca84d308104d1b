/** The part of an entry of Vite's manifest used here. */
export interface ManifestChunk {
  file: string;
  /** Keys of the chunks loaded with it. */
  imports?: readonly string[];
}

export type Manifest = Readonly<Record<string, ManifestChunk>>;

/**
 * The JavaScript files loaded before a page is shown: those of its modules and of everything they import.
 * @throws {Error} if a module is not in the manifest
 */
export function scriptsOf(manifest: Manifest, modules: readonly string[]): string[] {
  const files = new Set<string>();
  const add = (key: string): void => {
    const chunk = manifest[key];
    if (chunk === undefined) {
      throw new Error(
        `${key} is not a chunk of its own: update the modules of the page in scripts/check-bundle.ts.`,
      );
    }
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const key of modules) add(key);
  return [...files].filter((file) => file.endsWith(".js"));
}
