import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CHART_FOLDER } from "../render-chart.ts";
import type { Kubernetes } from "./kubernetes.ts";

const PROJECT_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));
const CHART = "docker/kubernetes/chart";
/** Helm prints warnings of the server among others of its own. */
const WARNING_OF_SERVER = /^(W\d+ .*|.*warnings?\.go.*|.*would violate.*)$/gm;

const run = promisify(execFile);
const git = async (...args: string[]): Promise<string> =>
  (await run("git", args, { cwd: PROJECT_FOLDER })).stdout.trim();

/** What an operator may have: the last release, or, before there is one, the first commit with a chart. */
export async function previousChart(): Promise<string> {
  const release = await git("describe", "--tags", "--abbrev=0", "--match", "v*").catch(() => "");
  if (release !== "") return release;
  const commits = await git("log", "--diff-filter=A", "--format=%h", "--", `${CHART}/Chart.yaml`);
  return commits.split("\n").at(-1)!;
}

/**
 * Installs the chart of another commit with helm and its own example, and upgrades to the one that is here with the same values.
 * @param name of the example, values-<name>.yaml
 * @throws {Error} with what helm or the server refused, such as a field that must not change
 */
export async function upgradeFrom(
  kubernetes: Kubernetes,
  commit: string,
  name: string,
  namespace: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-previous-"));
  try {
    await unpack(commit, folder);
    const previous = join(folder, CHART);
    const values = join(previous, `values-${name}.yaml`);
    const helm = async (...args: string[]): Promise<void> => {
      const command = [...args, "--namespace", namespace, "--kubeconfig", kubernetes.config];
      const said = await run("helm", command).then(
        ({ stderr }) => stderr.match(WARNING_OF_SERVER)?.join("\n"),
        (error: { stderr: string }) => error.stderr,
      );
      if (said !== undefined) throw new Error(`helm ${args.slice(0, 2).join(" ")}: ${said}`);
    };
    await helm("install", "fanfare", previous, "-f", values);
    await helm("upgrade", "fanfare", CHART_FOLDER, "-f", values);
    await helm("upgrade", "fanfare", CHART_FOLDER, "-f", values);
    await helm("rollback", "fanfare", "1");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = join(folder, "previous.tar");
  await mkdir(folder, { recursive: true });
  await git("archive", "--format=tar", "-o", archive, commit, "docker");
  await run("tar", ["-xf", archive, "-C", folder]);
}
