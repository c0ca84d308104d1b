import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const KINDS = new Set([".js", ".mjs", ".css", ".html", ".svg", ".json", ".webmanifest"]);
/** Lists the files of the first page. */
const PAGE = "index.html";
/** Smaller files fit into one packet anyway. */
const MIN_BYTES = 1000;
/** Of the files of the first page, and of the others: 11 takes ten times as long and saves 7 %. */
const BROTLI_QUALITY = { first: 11, other: 9 };

/** Writes precompressed copies next to the files for the gateway to serve. */
export function compress(): Plugin {
  return {
    name: "fanfare-compress",
    apply: "build",
    writeBundle: {
      // After the service worker, which is also written in this hook.
      order: "post",
      sequential: true,
      async handler({ dir }) {
        if (dir === undefined) throw new Error("There is a folder of files to compress.");
        await compressFolder(dir);
      },
    },
  };
}

export async function compressFolder(dir: string): Promise<void> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && KINDS.has(extname(entry.name)));
  const page = files.some(({ name }) => name === PAGE) ? await readFile(join(dir, PAGE), "utf8") : "";
  await Promise.all(
    files.map(({ parentPath, name }) =>
      compressFile(join(parentPath, name), BROTLI_QUALITY[page.includes(name) ? "first" : "other"]),
    ),
  );
}

async function compressFile(path: string, quality: number): Promise<void> {
  const content = await readFile(path);
  if (content.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  await Promise.all([
    writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params })),
    writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 })),
  ]);
}
