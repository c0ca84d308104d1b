import { join } from "node:path";
import { defineConfig } from "vite";

/** Builds the page on which the apps let people choose a server. */
export default defineConfig({
  root: join(import.meta.dirname, "chooser"),
  base: "./",
  publicDir: false,
  build: {
    outDir: join(import.meta.dirname, "dist"),
    emptyOutDir: true,
    // The page's content policy forbids inline scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
