import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isInstalled } from "@fanfare/testing";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readRules, RULES_FILE } from "./rules-file.ts";
import { SCENARIOS, type Scenario, type Series } from "./scenarios.ts";

const run = promisify(execFile);
const AT = "25m";

test("every alert has a scenario", () => {
  expect(Object.keys(SCENARIOS).toSorted()).toEqual(
    readRules()
      .map(({ alert }) => alert)
      .toSorted(),
  );
});

function inputOf(where: string, series: Series) {
  const shared = `job="fanfare",namespace="${where}"`;
  return Object.entries(series).map(([name, values]) => ({
    series: name.replace("{I", `{${shared},instance="${where}:3001"`).replace("{N", `{${shared}`),
    values,
  }));
}

/** A promtool test: the alert fires only for the expected series, and no other alert fires. */
function promtoolTest(alert: string, { sick, well }: Scenario) {
  const all = [sick].flat();
  const nameOf = (n: number): string => `sick${n}`;
  return {
    rule_files: [RULES_FILE],
    evaluation_interval: "30s",
    tests: [
      {
        interval: "30s",
        input_series: [...all.flatMap((series, n) => inputOf(nameOf(n), series)), ...inputOf("well", well)],
        promql_expr_test: [
          {
            expr: 'count by (alertname, namespace) (ALERTS{alertstate="firing"})',
            eval_time: AT,
            exp_samples: all.map((_, n) => ({
              labels: `{alertname="${alert}", namespace="${nameOf(n)}"}`,
              value: 1,
            })),
          },
        ],
      },
    ],
  };
}

describe.skipIf(!isInstalled("promtool"))("the alerts", () => {
  test("are valid Prometheus rules", async () => {
    const { stdout } = await run("promtool", ["check", "rules", RULES_FILE]);
    expect(stdout).toContain(`${readRules().length} rules found`);
  });

  test.each(Object.entries(SCENARIOS))("%s fires only when expected", async (alert, scenario) => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-alert-"));
    try {
      const file = join(folder, "test.yaml");
      await writeFile(file, stringify(promtoolTest(alert, scenario)));
      const outcome = await run("promtool", ["test", "rules", file]).catch(
        (error: { stdout?: string; stderr?: string }) => error,
      );
      expect(`${outcome.stdout}${outcome.stderr}`).toContain("SUCCESS");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
