import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments, stringify } from "yaml";

export const CHART_FOLDER = fileURLToPath(new URL("chart", import.meta.url));
const CASES_FOLDER = fileURLToPath(new URL("cases", import.meta.url));
const KUBERNETES_VERSION = "1.34.0";
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const run = promisify(execFile);

/** Values files for checks of the chart. The first two are examples for operators. */
export const CASES = {
  trial: join(CHART_FOLDER, "values-trial.yaml"),
  production: join(CHART_FOLDER, "values-production.yaml"),
  least: join(CASES_FOLDER, "least.yaml"),
  everything: join(CASES_FOLDER, "everything.yaml"),
};
export type Case = keyof typeof CASES;
export const CASE_NAMES = Object.keys(CASES) as Case[];

/** A Kubernetes object rendered by the chart, untyped for tests. */
// oxlint-disable-next-line typescript/no-explicit-any
export type KubernetesObject = Record<string, any>;

/**
 * Renders the chart with `helm template`.
 * @param name the values file, or null for none
 * @param values override those of the file
 * @throws {Error} with helm's output
 */
export async function renderChart(
  name: Case | null,
  values: Record<string, unknown> = {},
): Promise<KubernetesObject[]> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-chart-"));
  try {
    const more = join(folder, "more.yaml");
    await writeFile(more, stringify(values));
    return await helmTemplate(name === null ? [more] : [CASES[name], more]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Like `renderChart`, with several values files and optionally another chart. */
export async function helmTemplate(
  files: readonly string[],
  chart: string = CHART_FOLDER,
): Promise<KubernetesObject[]> {
  const values = files.flatMap((path) => ["-f", path]);
  const { stdout } = await run(
    "helm",
    ["template", "chat", chart, "--kube-version", KUBERNETES_VERSION, ...values],
    { maxBuffer: MAX_OUTPUT_BYTES },
  );
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}
