import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { emojiData } from "./build/emoji-data.ts";
import { pdfFiles } from "./build/pdf-files.ts";
import { type Graph, importedBy, preloadList } from "./build/shell-files.ts";
import { serviceWorker } from "./build/service-worker.ts";
import { smallIcons } from "./build/small-icons.ts";

const START = "src/main.tsx";
const LOGIN = "src/session/landing.tsx";
const APP = "src/app/logged-in.tsx";
const POPUPS = "src/ui/popups.ts";
const COMPOSER = "src/composer/fields.ts";
const NEXT = "src/app/next.ts";
/** Chunks of what is imported by a file of each list, each without what the ones before have. */
const CHUNKS: readonly (readonly [name: string, ...lists: string[][]])[] = [
  ["common", [LOGIN], [APP]],
  ["controls", [LOGIN], [POPUPS, COMPOSER, NEXT]],
  ["login", [LOGIN]],
  ["app", [APP]],
  ["popups", [POPUPS]],
  ["composer", [COMPOSER]],
  ["next", [NEXT]],
];
/** The instance that the development server proxies calls and sockets to. */
const SERVER = "http://127.0.0.1:3000";

const isImported = (id: string, by: readonly string[], graph: Graph): boolean =>
  by.some((file) => importedBy(join(import.meta.dirname, file), graph).has(id));

export default defineConfig({
  plugins: [
    react(),
    tailwind(),
    smallIcons(),
    emojiData(),
    pdfFiles(),
    preloadList(),
    serviceWorker(),
    compress(),
  ],
  build: {
    // The content security policy forbids inline scripts, and all supported browsers preload modules themselves.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Read by scripts/check-bundle.ts.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // By default there would be a chunk for every combination of pages that share modules.
          groups: [
            // Code that is only needed after login stays out of the login page.
            { name: "shell", tags: ["$initial"], minShareCount: 2, priority: CHUNKS.length + 1 },
            ...CHUNKS.map(([name, ...lists], index) => ({
              name: (id: string, graph: Graph) =>
                lists.every((files) => isImported(id, files, graph)) && !isImported(id, [START], graph)
                  ? name
                  : null,
              debugName: name,
              priority: CHUNKS.length - index,
            })),
            // The first page doesn't load what only others share.
            { name: "pages", minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      "/api": SERVER,
      "/auth": SERVER,
      "/docs": SERVER,
      "/files": SERVER,
      "/socket.io": { target: SERVER, ws: true },
    },
  },
});
