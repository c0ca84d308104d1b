import os from "node:os";
import { integer, integers, PAYLOAD_OPTIONS, RECEIVER_OPTIONS, REQUEST_TIMEOUT } from "../cli/options.ts";
import { checkConnections } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { untilAborted } from "../kernels/broadcast/clock.ts";
import { ErrorTable } from "../kernels/broadcast/error-table.ts";
import { buildDirectScene, measureSends } from "../kernels/requests/scenes.ts";
import { count } from "../report/format.ts";
import { metrics, overPasses, readMetrics, type Metric } from "../report/metric.ts";
import type { ErrorRow } from "../report/result.ts";
import { openFanfareTarget } from "../targets/fanfare/fanfare-target.ts";
import { passesOption, passNumbers } from "./contestants.ts";
import { LOAD, LOAD_METRICS, loadCaveats, loadPlanOf, loopOf, MOST_REQUESTS } from "./load.ts";

/** They all run on one machine. */
const MOST_NODES = 16;
const MOST_PEOPLE = 10_000;
const WARM_UP = 1000;

export const nodes = scenario({
  name: "nodes",
  describe: "The same direct messages on clusters of 1 to 4 nodes; a node is a gateway and a worker",
  metrics: [...LOAD_METRICS, "scalingEfficiency"],
  options: {
    ...RECEIVER_OPTIONS,
    ...PAYLOAD_OPTIONS,
    nodes: integers("Server", "Numbers of nodes; each gets a new cluster", [1, MOST_NODES], {
      default: "1,2,3,4",
    }),
    passes: passesOption(1),
    count: integer("Load", "Messages per number of nodes", [1, MOST_REQUESTS], {
      default: 50_000,
      alias: "c",
    }),
    inFlight: integer("Load", "Messages in flight, and number of senders", [1, MOST_PEOPLE], {
      default: 200,
      alias: "t",
    }),
    receivers: integer("Load", "Receivers, addressed round-robin; all are online", [1, MOST_PEOPLE], {
      default: 10,
    }),
    timeoutMs: REQUEST_TIMEOUT,
  },
  examples: [["$0 nodes --nodes 1,2,3,4", "messages/s and scaling efficiency per number of nodes"]],
  async plan({ nodes: sizes, passes, count: requests, inFlight: senders, receivers, ...values }) {
    const size = { senders, receivers, online: receivers };
    const loop = loopOf({}, { inFlight: senders, requests });
    const plan = loadPlanOf({ ...values, warmup: WARM_UP, sendingThreads: "auto" }, loop, size);
    await checkConnections(senders + receivers);
    return {
      options: { nodes: sizes, passes, ...size, ...plan },
      async measure(context: RunContext) {
        const { progress, signal } = context;
        const all: Metric[] = [];
        const clusters = new Map<string, string>();
        const [caveats, errors]: [string[], ErrorRow[]] = [[], []];
        const measure = async (pass: number, n: number) => {
          signal.throwIfAborted();
          const table = new ErrorTable();
          const onError = (code: string) => table.add("api", code);
          const started = { cluster: { gateways: n, workers: n }, registrations: plan.connecting, onError };
          const target = await openFanfareTarget(started, signal);
          const name = count(n, "node");
          try {
            const run = { target, plan, progress, errors: table, signal };
            const load = await measureSends(run, await buildDirectScene(run, size));
            clusters.set(name, target.urls.join(", "));
            all.push(...readMetrics(LOAD, load.figures, { nodes: n, pass }));
            caveats.push(...loadCaveats(load, table.rows()).map((text) => `${name}: ${text}`));
            errors.push(...table.rows());
          } finally {
            // It would take cores from the next one.
            await target.close();
          }
        };
        const measureAll = async () => {
          for (const pass of passNumbers(passes)) for (const n of sizes) await measure(pass, n);
        };
        await untilAborted(signal, measureAll());
        return {
          title: `The same load on up to ${count(Math.max(...sizes), "node")}`,
          subtitle: [
            count(requests, "direct message"),
            `${count(senders, "sender")}, ${count(receivers, "receiver")}, all online, ${count(senders * receivers, "direct channel")}`,
          ],
          metrics: [...all, ...scalingEfficiency(all)],
          tables: [{ label: "Clusters", rows: [...clusters] }],
          caveats: [
            `All nodes, NATS, Redis, the database and the tester shared the ${count(os.availableParallelism(), "core")} of this machine. ` +
              "An extra node adds no core here, so compare messages per server CPU second.",
            ...caveats,
          ],
          errors,
        };
      },
    };
  },
});

/** rate(N) ÷ (N × rate(1)) over all passes; at 1, each node adds as much as the first. Empty without one node. */
function scalingEfficiency(all: readonly Metric[]): Metric[] {
  const rates = overPasses(all.filter(({ name }) => name === "acknowledgedPerSecond"));
  const one = rates.find(({ labels }) => labels["nodes"] === 1)?.value;
  if (!one) return [];
  return rates.flatMap(({ labels, value }) => {
    const n = Number(labels["nodes"]);
    return metrics({ scalingEfficiency: value === null ? null : value / (n * one) }, { nodes: n });
  });
}
