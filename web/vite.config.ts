import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { emojiData } from "./build/emoji-data.ts";
import { pdfFiles } from "./build/pdf-files.ts";
import { type Graph, importedBy, preloadList } from "./build/shell-files.ts";
import { serviceWorker } from "./build/service-worker.ts";

const LOGIN = "src/session/landing.tsx";
const APP = "src/app/logged-in.tsx";
/** Chunks of what all of these files import, each without what the ones before have. */
const CHUNKS: readonly (readonly [name: string, ...files: string[]])[] = [
  ["common", LOGIN, APP],
  ["login", LOGIN],
  ["app", APP],
  ["popups", "src/ui/popups.ts"],
  ["composer", "src/composer/fields.ts"],
  ["next", "src/app/next.ts"],
];
/** The instance that the development server proxies calls and sockets to. */
const SERVER = "http://127.0.0.1:3000";

export default defineConfig({
  plugins: [react(), tailwind(), emojiData(), pdfFiles(), preloadList(), serviceWorker(), compress()],
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
            ...CHUNKS.map(([name, ...files], index) => ({
              name: (id: string, graph: Graph) =>
                files.every((file) => importedBy(join(import.meta.dirname, file), graph).has(id))
                  ? name
                  : null,
              debugName: name,
              minShareCount: 2,
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
