import { dirname, join } from "node:path";
import type { Plugin, Rollup } from "vite";

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

export interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[]; readonly code: string | null } | null;
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
    const { importedIds = [], code = "" } = graph.getModuleInfo(id) ?? {};
    for (const each of importedIds) {
      if (!each.endsWith(ICONS)) add(each);
      else for (const icon of iconsOf(code ?? "", each, graph)) add(icon);
    }
  };
  add(root);
  imported.set(root, ids);
  return ids;
}

/** Imports the modules of all icons, of which its importers only need those that they name. */
const ICONS = "/lucide-react/dist/esm/lucide-react.mjs";
const NAMED_ICONS = /import\s*\{([^}]*)\}\s*from\s*"lucide-react"/g;
const EXPORTED_ICON = /export \{([^}]*)\} from '([^']*)'/g;

let iconByName: Map<string, string> | null = null;

function iconsOf(code: string, list: string, graph: Graph): string[] {
  iconByName ??= new Map(
    [...(graph.getModuleInfo(list)?.code ?? "").matchAll(EXPORTED_ICON)].flatMap(([, names, path]) =>
      names!.split(",").map((name) => [name.replace("default as", "").trim(), join(dirname(list), path!)]),
    ),
  );
  return [...code.matchAll(NAMED_ICONS)].flatMap(([, names]) =>
    names!.split(",").flatMap((name) => iconByName?.get(name.trim().split(" ")[0]!) ?? []),
  );
}

const APP = "src/app/logged-in.tsx";
const LOGIN = "src/session/landing.tsx";
/** In the order of their loading. */
const NEXT = ["src/composer/fields.ts", "src/app/next.ts", "src/ui/popups.ts"];
const LANGUAGES = ["en", "zh"];

/** Lists in index.html which files public/theme.js preloads. */
export function preloadList(): Plugin {
  return {
    name: "fanfare-preload-list",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        if (bundle === undefined) throw new Error("A build has a bundle.");
        const shell = new Set(shellFiles(bundle));
        const filesOf = (...modules: string[]): string[] =>
          loadedFiles(bundle, ({ facadeModuleId }) =>
            modules.some((id) => facadeModuleId?.endsWith(`/${id}`)),
          )
            .filter((file) => !shell.has(file))
            .map((file) => `/${file}`);
        return LANGUAGES.map((language) => {
          const texts = `src/i18n/languages/${language}`;
          const app = filesOf(APP, `${texts}-app.ts`);
          const attrs = {
            name: `preload-${language}`,
            content: filesOf(`${texts}.ts`).join(" "),
            "data-app": app.join(" "),
            "data-login": filesOf(LOGIN).join(" "),
            "data-next": filesOf(...NEXT, `${texts}-next.ts`)
              .filter((file) => !app.includes(file))
              .join(" "),
          };
          return { tag: "meta", attrs, injectTo: "head-prepend" as const };
        });
      },
    },
  };
}
