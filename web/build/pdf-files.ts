import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const ID = "virtual:pdf-files";
const require = createRequire(import.meta.url);
const manifest = require.resolve("pdfjs-dist/package.json");
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

/** What some PDFs need: Chinese, Japanese and Korean encodings, fonts of signs, and decoders of scans. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  cmaps: /\.bcmap$/,
  standard_fonts: /^Foxit(?:Dingbats|Symbol)\.pfb$/,
  wasm: /_nowasm_fallback\.js$/,
};

/** Puts the files that PDF.js loads by name into a folder. `virtual:pdf-files` is its address. */
export function pdfFiles(): Plugin {
  const folder = `assets/pdf-${version}/`;
  return {
    name: "fanfare-pdf-files",
    apply: "build",
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? `export default ${JSON.stringify(`/${folder}`)};` : undefined),
    generateBundle() {
      for (const [name, pattern] of Object.entries(NEEDED)) {
        const from = join(dirname(manifest), name);
        for (const file of readdirSync(from).filter((one) => pattern.test(one))) {
          const source = readFileSync(join(from, file));
          this.emitFile({ type: "asset", fileName: folder + file, source });
        }
      }
    },
  };
}
