export interface Sample {
  /** From the publisher's call until every receiver has read the message. */
  allAfterMs: number;
  /** CPU time of both gateways, the publisher and the broker. */
  cpuMs: number;
}

interface Measured {
  name: string;
  users: number;
  single: readonly Sample[];
  bursts: readonly Sample[];
  burst: number;
  /** Messages received by the gateway without members. */
  stray: number;
}

export interface Row {
  name: string;
  singleMs: number;
  singleCpuMs: number;
  burstMs: number;
  burstCpuMs: number;
  deliveriesPerSecond: number;
  stray: number;
}

const median = (samples: readonly Sample[], field: keyof Sample): number => {
  const sorted = samples.map((sample) => sample[field]).sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2;
};

export function summarize({ name, users, single, bursts, burst, stray }: Measured): Row {
  const burstMs = median(bursts, "allAfterMs");
  return {
    name,
    singleMs: median(single, "allAfterMs"),
    singleCpuMs: median(single, "cpuMs"),
    burstMs,
    burstCpuMs: median(bursts, "cpuMs"),
    deliveriesPerSecond: (burst * users * 1000) / burstMs,
    stray,
  };
}

const REFERENCE = "redis-adapter";

/** Prints one table in Markdown; `×` columns are relative to Socket.IO's Redis adapter in the same run. */
export function printTable(users: number, burst: number, rows: readonly Row[]): void {
  const reference = rows.find(({ name }) => name === REFERENCE) ?? rows[0]!;
  const times = (
    row: Row,
    field: "singleMs" | "singleCpuMs" | "deliveriesPerSecond" | "burstCpuMs",
  ): string => (row[field] / reference[field]).toFixed(2);
  console.log(`\n${users} sockets at two gateways\n`);
  console.log(
    `| adapter | one message, until all have it | × | CPU | × | burst of ${burst} | deliveries/s | × | CPU | × | messages at a gateway without members |`,
  );
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const row of rows) {
    const cells = [
      row.name,
      `${row.singleMs.toFixed(1)} ms`,
      times(row, "singleMs"),
      `${row.singleCpuMs.toFixed(1)} ms`,
      times(row, "singleCpuMs"),
      `${row.burstMs.toFixed(0)} ms`,
      Math.round(row.deliveriesPerSecond).toLocaleString("en"),
      times(row, "deliveriesPerSecond"),
      `${row.burstCpuMs.toFixed(0)} ms`,
      times(row, "burstCpuMs"),
      `${row.stray}`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
