import { resolve } from "node:path";
import { execFileSync } from "node:child_process";
import { isInstalled } from "@fanfare/testing";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { RULES_FILE } from "../../docker/test/monitoring/rules-file.ts";
import { dashboardQueries } from "./monitoring/dashboard-queries.ts";
import { parseExposition, type Metric } from "./monitoring/exposition.ts";
import { LABELS, metricsPage } from "./monitoring/metrics-page.ts";
import { Prometheus } from "./monitoring/prometheus.ts";
import { makeTraffic } from "./monitoring/traffic.ts";

const TRAFFIC_SECONDS = 8;
const WINDOW = "20s";

/** What is empty here, and why. */
const EMPTY: Readonly<Record<string, string>> = {
  "overview.json: Alerts A": "nothing is wrong",
  "moleculer.json: Calls without an answer B": "every call is answered; the query before says 0",
};

const hasServers = ["nats-server", "redis-server", "prometheus", "promtool"].every(isInstalled);

describe.skipIf(!hasServers)("metrics of a gateway and a worker", () => {
  let cluster: Cluster;
  let prometheus: Prometheus;
  const metrics = new Map<string, Map<string, Metric>>();
  const texts: string[] = [];

  beforeAll(async () => {
    cluster = await startCluster({
      gateways: 1,
      workers: 1,
      env: { PLUGINS: resolve("plugins/quickpoll") },
    });
    const nodes = [...cluster.gateways, ...cluster.workers];
    prometheus = await Prometheus.start(
      nodes.map(({ opsUrl }) => new URL(opsUrl).host),
      RULES_FILE,
    );
    await makeTraffic(cluster.gateways[0]!.clientUrl, TRAFFIC_SECONDS);
    for (const { role, opsUrl } of nodes) {
      const text = await (await fetch(`${opsUrl}/metrics`)).text();
      texts.push(text);
      metrics.set(role, parseExposition(text));
    }
  }, 90_000);
  afterAll(async () => {
    await prometheus?.stop();
    await cluster?.stop();
  });

  test("are described in docs/run/metrics.md", async () => {
    await expect(metricsPage(metrics)).toMatchFileSnapshot("../../docs/run/metrics.md");
  });

  test("follow Prometheus' naming and units, and have only the listed labels", () => {
    for (const { name, type, labels } of [...metrics.values()].flatMap((all) => [...all.values()])) {
      if (!name.startsWith("fanfare_")) continue;
      expect(name).toMatch(/^fanfare_[a-z]+(_[a-z]+)*$/);
      expect({ name, isTotal: name.endsWith("_total") }).toEqual({ name, isTotal: type === "counter" });
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|mb|percent)(_|$)/);
      const written = new Set(Object.keys(LABELS[name] ?? {}));
      expect({ name, unknown: [...labels].filter((label) => !written.has(label)) }).toEqual({
        name,
        unknown: [],
      });
    }
    const known = new Set([...metrics.values()].flatMap((all) => [...all.keys()]));
    expect(Object.keys(LABELS).filter((name) => !known.has(name))).toEqual([]);
  });

  test("pass promtool", () => {
    // promtool has a separate exit code for metric names it discourages, such as prom-client's.
    const objections = texts.map((input) => {
      try {
        return execFileSync("promtool", ["check", "metrics"], { input, stdio: "pipe" }).toString();
      } catch (error) {
        return String((error as { stderr: Buffer }).stderr);
      }
    });
    expect(objections.join("").match(/^.*fanfare_.*$|^error.*$/gm)).toBeNull();
  });

  test.each(dashboardQueries(WINDOW))("$where", async ({ where, expr }) => {
    const samples = await prometheus.query(expr);
    const shown = samples.filter(({ value }) => value[1] !== "NaN").length;
    expect({ where, isEmpty: shown === 0 }).toEqual({ where, isEmpty: where in EMPTY });
  });

  test("every alert can be evaluated, and none fires", async () => {
    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
    expect(await prometheus.query('ALERTS{alertstate="firing"}')).toEqual([]);
  });

  const AWAY = { timeout: 20_000, interval: 100 };
  const read = async (role: "gateways" | "workers", name: string): Promise<number> => {
    const text = await (await fetch(`${cluster[role][0]!.opsUrl}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  };

  test.each(["nats", "redis"] as const)(
    "an alert fires when %s is down, and resolves when it is back",
    async (name) => {
      const reads = (what: string): Promise<number[]> =>
        Promise.all([
          read("gateways", `fanfare_${name}_${what}`),
          read("workers", `fanfare_${name}_${what}`),
        ]);
      expect(await reads("connected")).toEqual([1, 1]);
      await cluster[name].kill();
      await vi.waitFor(async () => expect(await reads("connected")).toEqual([0, 0]), AWAY);
      await cluster[name].start();
      await vi.waitFor(async () => expect(await reads("connected")).toEqual([1, 1]), AWAY);
      expect(Math.min(...(await reads("reconnects_total")))).toBeGreaterThan(0);
      await vi.waitFor(async () => expect(await read("gateways", "fanfare_ready")).toBe(1), AWAY);
    },
  );

  test("an alert fires when the database and a worker are down", { tags: "long" }, async () => {
    await cluster.database.kill();
    const failures = (): Promise<number> => read("workers", "fanfare_database_failures_total");
    await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(0), AWAY);
    await cluster.database.start();
    await cluster.workers[0]!.process.kill();
    await vi.waitFor(async () => expect(await read("gateways", "fanfare_ready")).toBe(0), AWAY);
    const gone = "up == 0 and on (job, instance) last_over_time(fanfare_build_info[1h])";
    await vi.waitFor(async () => expect(await prometheus.query(gone)).toHaveLength(1), AWAY);
  });
});
