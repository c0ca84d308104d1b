import { columnChart } from "../charts/column-chart.ts";
import { lineChart } from "../charts/line-chart.ts";
import { clusterName, duration, ms, short, whole } from "../format.ts";
import type { OverloadResult, StormResult } from "../result.ts";
import type { Document } from "./document.ts";

export function stormDocument(result: StormResult): Document {
  const { users, phases, counts, messagesPerSecond } = result;
  const seconds = phases.flatMap(({ name, secondsP100Ms }) =>
    secondsP100Ms.map((p100Ms) => ({ name, p100Ms })),
  );
  const time = (value: number | null) => (value === null ? "–" : duration(value));
  return {
    title: `Gateways restart and crash with ${whole(users)} members online`,
    subtitle: `${clusterName(result)} · steady ${short(messagesPerSecond)} messages/s`,
    blocks: [
      {
        kind: "tiles",
        tiles: [
          { label: "lost", value: whole(counts.lost), tone: counts.lost === 0 ? "good" : "bad" },
          {
            label: "acknowledged but not persisted",
            value: counts.unstored === null ? "–" : whole(counts.unstored),
            tone: counts.unstored === 0 ? "good" : "bad",
          },
          { label: "connections lost and reopened", value: whole(counts.moved) },
          { label: "deliveries by sync", value: whole(counts.recovered) },
        ],
      },
      {
        kind: "chart",
        heading: "p100 of each second, from the intended sending",
        svg: columnChart({
          description: "The longest time to the last member, for each second of sending",
          x: "seconds of sending",
          y: "ms",
          columns: seconds.map(({ name, p100Ms }, i) => ({
            label: String(i + 1),
            value: p100Ms,
            colour: name.startsWith("steady") ? "quiet" : "two",
            title: `${name}: ${ms(p100Ms)}`,
          })),
          legend: [
            { name: "steady", colour: "quiet" },
            { name: "during and after a fault", colour: "two" },
          ],
        }),
      },
      {
        kind: "table",
        heading: "Phases",
        rows: [
          ["", "moved", "servers restarted", "all recovered", "acknowledged", "p50", "p99", "p100"],
          ...phases.map((phase) => [
            phase.name,
            whole(phase.moved),
            time(phase.serversBackMs),
            time(phase.allBackMs),
            `${whole(phase.acknowledged)} of ${whole(phase.sent)}`,
            ms(phase.latencyMs?.p50),
            ms(phase.latencyMs?.p99),
            ms(phase.p100Ms),
          ]),
        ],
      },
    ],
  };
}

export function overloadDocument(result: OverloadResult): Document {
  const { users, senders, capacity, overload, counts, recovery, memory, verdicts } = result;
  const { samples } = memory;
  const rate = (value: number | null) => (value === null ? "–" : `${whole(value)}/s`);
  return {
    title: `Twice the server's capacity, ${whole(users)} members`,
    subtitle: `${clusterName(result)} · ${whole(senders)} senders`,
    blocks: [
      {
        kind: "tiles",
        tiles: [
          { label: "capacity", value: rate(capacity.perSecond) },
          { label: "offered", value: rate(overload.offeredPerSecond) },
          { label: "acknowledged", value: rate(overload.acknowledgedPerSecond) },
          { label: "acknowledged within, p100", value: ms(overload.ackMs?.p100) },
          {
            label: "acknowledged but not persisted · lost",
            value: `${counts.unstored === null ? "–" : whole(counts.unstored)} · ${whole(counts.lost)}`,
            tone: counts.unstored === 0 && counts.lost === 0 ? "good" : "bad",
          },
          {
            label: "normal again after",
            value: recovery.normalAfterMs === null ? "–" : duration(recovery.normalAfterMs),
          },
        ],
      },
      {
        kind: "chart",
        heading: "Memory of the services",
        svg: lineChart({
          description: "Memory of the services during the overload",
          x: "seconds since the start of the overload",
          y: "MiB",
          lines: [
            {
              name: "services",
              colour: "four",
              points: samples
                .filter(({ atMs }) => atMs >= 0)
                .map(({ atMs, servicesBytes }) => ({ x: atMs / 1000, y: servicesBytes / 1024 / 1024 })),
            },
          ],
        }),
      },
      {
        kind: "notes",
        heading: "Problems",
        lines: verdicts.length === 0 ? ["None: the overload was survived."] : verdicts,
      },
    ],
  };
}
