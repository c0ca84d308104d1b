import { barChart } from "../charts/bar-chart.ts";
import type { Colour } from "../charts/frame.ts";
import { count, kib, ms, ratio, whole } from "../format.ts";
import type { BroadcastMeasurement, ClusterResult, LimitsResult, TargetFigures } from "../result.ts";
import type { Block, Document } from "./document.ts";

export function limitsDocument({ users, figures, ratios, passes }: LimitsResult): Document {
  const servers = Object.entries(figures).map(([name, of]) => ({ name, ...of }));
  const turns = passes.length / Math.max(1, servers.length);
  const against = [...new Set(ratios.map((entry) => entry.against))];
  const labels = [...new Set(ratios.map((entry) => entry.label))];
  const find = (label: string, bare: string) =>
    ratios.find((entry) => entry.label === label && entry.against === bare)?.value;
  return {
    title: `Next to bare servers, ${whole(users)} members`,
    subtitle: `${count(Math.round(turns), "pass", "passes")} each, the same audience and machine`,
    blocks: [
      {
        kind: "table",
        heading: "The platform divided by a bare server",
        note: "Ratios within one run hold on a slow or busy machine.",
        rows: [
          ["", ...against.map((bare) => `bare ${bare}`)],
          ...labels.map((label) => [label, ...against.map((bare) => ratio(find(label, bare)))]),
        ],
      },
      ...comparison(servers),
      ...verdicts(passes.map((pass) => ({ name: pass.target.name, pass }))),
    ],
  };
}

export function clusterDocument({ users, rows, passes }: ClusterResult): Document {
  const servers = rows.map((row) => ({ ...row, name: row.label }));
  return {
    title: `Single instance and several gateways, ${whole(users)} members`,
    subtitle: "The same members everywhere, interleaved passes",
    blocks: [...comparison(servers), ...verdicts(passes.map((pass) => ({ name: pass.label, pass })))],
  };
}

type Named = TargetFigures & { name: string };

function comparison(servers: readonly Named[]): Block[] {
  const bursts = [...new Set(servers.flatMap((server) => server.bursts.map(({ messages }) => messages)))];
  const burst = (server: Named, size: number) => server.bursts.find(({ messages }) => messages === size);
  const orDash = (value: number | null | undefined, unit = "") =>
    value === null || value === undefined ? "–" : `${whole(value)}${unit}`;
  return [
    ...bars(
      "Worst message, time to the last member; lower is better",
      servers,
      (server) => server.worstMs,
      ms,
    ),
    ...bars(
      "Median message, time to the last member; lower is better",
      servers,
      (server) => server.medianMs,
      ms,
    ),
    ...bursts.flatMap((size) =>
      bars(
        `Burst of ${size}: deliveries per second of server CPU, higher is better`,
        servers,
        (server) => burst(server, size)?.deliveriesPerCpuSecond,
        whole,
      ),
    ),
    {
      kind: "table",
      heading: "Figures (medians of the passes, except worst and best)",
      rows: [
        ["", ...servers.map(({ name }) => name)],
        ["worst message, time to the last member", ...servers.map((server) => ms(server.worstMs))],
        ["median message", ...servers.map((server) => ms(server.medianMs))],
        ["best message", ...servers.map((server) => ms(server.bestMs))],
        ["first message after connecting", ...servers.map((server) => ms(server.firstMs))],
        ["first message after an idle time", ...servers.map((server) => ms(server.coldMs))],
        ...bursts.map((size) => [
          `burst of ${size}: full delivery`,
          ...servers.map((server) => ms(burst(server, size)?.allMs)),
        ]),
        ["connections", ...servers.map((server) => orDash(server.connectsPerSecond, "/s"))],
        ["memory per connection", ...servers.map((server) => kib(server.rssPerConnectionBytes))],
        ["server CPU per message", ...servers.map((server) => ms(server.cpuMsPerMessage))],
        ["lost", ...servers.map((server) => whole(server.lost))],
      ],
    },
  ];
}

function bars(
  heading: string,
  servers: readonly Named[],
  of: (server: Named) => number | null | undefined,
  text: (value: number) => string,
): Block[] {
  const known = servers.flatMap((server) => {
    const value = of(server);
    return value === null || value === undefined ? [] : [{ label: server.name, value }];
  });
  if (known.length === 0) return [];
  const colour = (label: string): Colour => (/^(socket\.io|ws)$/.test(label) ? "quiet" : "one");
  const svg = barChart(
    heading,
    known.map(({ label, value }) => ({ label, value, text: text(value), colour: colour(label) })),
  );
  return [{ kind: "chart", heading, svg }];
}

function verdicts(passes: readonly { name: string; pass: BroadcastMeasurement }[]): Block[] {
  const lines = [
    ...new Set(passes.flatMap(({ name, pass }) => pass.generator.verdicts.map((text) => `${name}: ${text}`))),
  ];
  return lines.length === 0 ? [] : [{ kind: "notes", heading: "Caveats", lines }];
}
