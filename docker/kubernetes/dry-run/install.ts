import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyCustomResources, folderOfModule, GO_VERSION, KUBERNETES_VERSION } from "./modules.ts";

const SOURCES = fileURLToPath(new URL("server", import.meta.url));
const PROGRAMS = ["kube-apiserver", "kubectl"];
/** For a machine whose Go is too old to fetch a newer one by itself, such as that of Debian 12. */
const GO_TOOLCHAIN = "v0.0.1-go1.26.8";
const FETCHES_TOOLCHAINS_SINCE = 21;

/**
 * Builds kube-apiserver and kubectl of the pinned version, once, and puts the definitions of custom resources beside them.
 * @returns the folder; `crds` in it has the definitions
 * @throws {Error} when there is no Go, or something cannot be downloaded or built
 */
export function installKubernetes(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "fanfare", `kubernetes-${KUBERNETES_VERSION}`);
  const go = findGo(join(cache, "fanfare"));
  if (!existsSync(join(folder, PROGRAMS.at(-1)!))) build(folder, go);
  copyCustomResources(join(folder, "crds"), go);
  return folder;
}

function build(folder: string, go: string): void {
  console.log(
    `Building ${PROGRAMS.join(" and ")} ${KUBERNETES_VERSION}: this takes minutes, and is done once.`,
  );
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(KUBERNETES_VERSION)!;
  const stamp = { gitVersion: KUBERNETES_VERSION, gitMajor: major, gitMinor: minor };
  const stamps = Object.entries(stamp).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  mkdirSync(folder, { recursive: true });
  for (const program of PROGRAMS) {
    const file = join(folder, program);
    // Elsewhere first: what is there at its place is whole.
    const args = ["build", "-trimpath", "-ldflags", ["-s -w", ...stamps].join(" "), "-o", `${file}.part`];
    execFileSync(go, [...args, `k8s.io/kubernetes/cmd/${program}`], { cwd: SOURCES, stdio: "inherit" });
    renameSync(`${file}.part`, file);
  }
}

/** A Go that can build this Kubernetes, or fetches by itself one that can. */
function findGo(cache: string): string {
  const installed = minorVersion(execFileSync("go", ["version"], { encoding: "utf8" }));
  if (installed >= minorVersion(`go${GO_VERSION}`)) return "go";
  if (installed >= FETCHES_TOOLCHAINS_SINCE && process.env["GOTOOLCHAIN"] !== "local") return "go";
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const toolchain = `${GO_TOOLCHAIN}.${process.platform}-${architecture}`;
  const folder = join(cache, `go-${toolchain}`);
  const go = join(folder, "bin/go");
  if (!existsSync(go)) unpackToolchain(folderOfModule(`golang.org/toolchain@${toolchain}`), folder);
  return go;
}

/** Files in the cache of modules cannot be run, nor written. */
function unpackToolchain(module: string, folder: string): void {
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  cpSync(module, part, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", part]);
  for (const programs of ["bin", ...readdirSync(join(part, "pkg/tool")).map((name) => `pkg/tool/${name}`)])
    for (const name of readdirSync(join(part, programs))) chmodSync(join(part, programs, name), 0o755);
  renameSync(part, folder);
}

const minorVersion = (text: string): number => Number(/go1\.(\d+)/.exec(text)?.[1] ?? 0);
