import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Caches compiled modules across starts, which halves the CPU time of a start. Import it before everything else. Does nothing if
 * node_modules is read-only, as in the image.
 */
const { directory } = enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"));
if (directory !== undefined) process.env["NODE_COMPILE_CACHE"] ??= directory;
