import type { Plugin } from "vite";
import { loadedFiles, shellFiles } from "./shell-files.ts";

const APP = "src/app/logged-in.tsx";
const LOGIN = "src/session/landing.tsx";
/** In the order of their loading. */
const NEXT = ["src/composer/fields.ts", "src/app/next.ts", "src/ui/popups.ts"];
const FONT = /\/inter-latin-wght-normal-[^/]+\.woff2$/;
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
        const font = Object.keys(bundle).find((file) => FONT.test(file));
        if (font === undefined) throw new Error("The font is not in the bundle.");
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
            "data-font": `/${font}`,
          };
          return { tag: "meta", attrs, injectTo: "head-prepend" as const };
        });
      },
    },
  };
}
