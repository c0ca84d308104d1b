import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import { IS_PACKAGE } from "../cli/exit.ts";
import { applying, duration, mib } from "./format.ts";

/** The machine and the software of a result. */
export type Environment = ReturnType<typeof describeEnvironment>;

export function describeEnvironment() {
  return {
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: os.cpus()[0]?.model ?? "unknown",
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    /** null: unlimited, or unknown on this system. */
    openFilesLimit: openFilesLimit(),
    portRange: portRange(),
    node: process.version,
    commit: commit(),
  };
}

/** The limit of this process. Node raises its soft limit to the hard one when it starts. */
export function openFilesLimit(): number | null {
  const match = /^Max open files\s+(\d+)/m.exec(readText("/proc/self/limits") ?? "");
  if (match) return Number(match[1]);
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : null;
}

/** The system's range of ephemeral ports. */
export function portRange(): { first: number; last: number } | null {
  const text = readText("/proc/sys/net/ipv4/ip_local_port_range") ?? "";
  const [first, last] = (text.match(/\d+/g) ?? []).map(Number);
  return first === undefined || last === undefined ? null : { first, last };
}

function commit(): string | null {
  // Otherwise it would be that of the project in which the package is installed.
  if (IS_PACKAGE) return null;
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
    return git("rev-parse", "--short=12", "HEAD") + (isChanged ? "+changes" : "");
  } catch {
    return null;
  }
}

/** undefined: it can't be read. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** The date and the machine. */
export function environmentLine(
  { environment, startedAt }: { environment: Environment; startedAt: string },
  durationMs?: number,
): string {
  return applying(
    `${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    durationMs !== undefined && `took ${duration(durationMs)}`,
    machineLine(environment),
    `commit ${environment.commit ?? "unknown"}`,
  ).join(" · ");
}

export function machineLine({ cpu, cores, memoryBytes, os, node }: Environment): string {
  const gib = mib(memoryBytes / 1024).replace("MiB", "GiB");
  return `${cpu}, ${cores} cores, ${gib} of memory, ${os}, Node ${node.replace(/^v/, "")}`;
}
