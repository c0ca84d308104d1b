import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { emojiData } from "./build/emoji-data.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** Where `pnpm dev` listens: the development server of this page passes calls and sockets on to it. */
const SERVER = "http://127.0.0.1:3000";

export default defineConfig({
  plugins: [react(), tailwind(), emojiData(), serviceWorker(), compress()],
  build: {
    // The gateway's content policy allows no inline code, and every browser that can run the page preloads by itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // scripts/check-bundle.ts reads which page loads what from it.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What is shared would else be a file for every combination of those that share it.
          groups: [
            // Who is not logged in loads nothing that only others need.
            { name: "shell", tags: ["$initial"], minShareCount: 2, priority: 1 },
            { name: "app", minShareCount: 2 },
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
