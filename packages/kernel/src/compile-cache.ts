import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Keeps the compiled modules between starts of this process and its threads, which halves the CPU time of a start. To be imported
 * before everything else; where node_modules cannot be written, as in an image, it does nothing.
 */
const { directory } = enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"));
if (directory !== undefined) process.env["NODE_COMPILE_CACHE"] ??= directory;
