import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { emojiData } from "./build/emoji-data.ts";
import { pdfFiles } from "./build/pdf-files.ts";
import { preloadList } from "./build/preload-list.ts";
import { importedBy } from "./build/shell-files.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** Loaded with the first page after a login, in this order, each without what the ones before have. */
const FIRST = [
  ["app", "src/app/logged-in.tsx"],
  ["composer", "src/composer/fields.ts"],
] as const;
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
            { name: "shell", tags: ["$initial"], minShareCount: 2, priority: 1 },
            // The first page doesn't load what only others share.
            {
              name: (id, graph) =>
                FIRST.find(([, path]) => importedBy(join(import.meta.dirname, path), graph).has(id))?.[0] ??
                "pages",
              debugName: "by first page",
              minShareCount: 3,
            },
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
