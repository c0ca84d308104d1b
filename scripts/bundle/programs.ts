import { basename, dirname, resolve } from "node:path";

/** The file of a thread or a child process, beside the code that starts it. */
const PROGRAM = /new URL\(\s*"(\.[^"]*)\.ts",\s*import\.meta\.url,?\s*\)/g;

interface Bundler {
  emitFile(file: { type: "chunk"; fileName: string; id: string }): string;
}

/** A Rolldown plugin that makes the files of threads and child processes entries in the folder of the main one. */
export const programs = {
  name: "programs",
  transform(this: Bundler, code: string, id: string): string | null {
    if (!PROGRAM.test(code)) return null;
    return code.replaceAll(PROGRAM, (_, path: string) => {
      const name = basename(path);
      if (name !== "main")
        this.emitFile({ type: "chunk", fileName: `${name}.js`, id: resolve(dirname(id), `${path}.ts`) });
      return `new URL("./${name}.js", import.meta.url)`;
    });
  },
};
