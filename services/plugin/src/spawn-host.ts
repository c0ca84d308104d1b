import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HEAP_MEGABYTES } from "./constants.ts";

const HOST = fileURLToPath(new URL("./host/host-main.ts", import.meta.url));

export type HostChild = ChildProcessByStdio<Writable, Readable, Readable>;
export type Spawn = (
  file: string,
  args: string[],
  options: { env: Record<string, string>; cwd: string; stdio: "pipe" },
) => HostChild;

/**
 * Starts the program that runs a plug-in, under Node's permission model.
 * @throws without memory for another process
 */
export function spawnHost(folder: string, start: Spawn = spawn): HostChild {
  const args = [
    "--permission",
    ...reading(folder),
    `--max-old-space-size=${HEAP_MEGABYTES}`,
    // It opens files without asking the permission model, such as the embedded database.
    "--no-experimental-sqlite",
    // The folder needs no package.json.
    "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
    HOST,
  ];
  // Without the environment, which has the secrets of the server.
  const options = { env: {}, cwd: folder, stdio: "pipe" } as const;
  const child = endsWithParent()
    ? start("setpriv", ["--pdeathsig", "KILL", process.execPath, ...args], options)
    : start(process.execPath, args, options);
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

const children = new Set<ChildProcess>();
// A plug-in in an endless loop doesn't notice the end of the server.
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

let canEndWithParent: boolean | undefined;
/** Whether the system ends plug-ins when the server was killed: with `setpriv` of util-linux. */
export function endsWithParent(): boolean {
  return (canEndWithParent ??=
    process.platform === "linux" &&
    spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { env: {} }).status === 0);
}

/** The arguments that let the process read the plug-in and the program that runs it, and nothing else. */
function reading(folder: string): string[] {
  const ofHost = dirname(HOST);
  const allow = (path: string) => `--allow-fs-read=${path}`;
  if (!HOST.endsWith(".ts")) return [allow(join(folder, "/")), allow(join(ofHost, "/"))];
  // From the sources: with zod. Its usual path is a link of node_modules, and a plug-in could use links there to leave the folder
  // (`node_modules/zod/../..`), so they must not be readable.
  const zod = realpathSync(fileURLToPath(import.meta.resolve("zod")));
  const hook = `import { registerHooks } from "node:module";
    const url = ${JSON.stringify(pathToFileURL(zod).href)};
    registerHooks({
      resolve: (name, context, next) => (name === "zod" ? { url, shortCircuit: true } : next(name, context)),
    });`;
  return [
    ...[
      join(folder, "/"),
      join(ofHost, "/"),
      join(ofHost, "../../package.json"),
      join(dirname(zod), "/"),
    ].map(allow),
    `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  ];
}
