interface Sample {
  /** From the broadcast until every receiver has read it. */
  allAfterMs: number;
  cpuMs: number;
  longestBlockMs: number;
  rssBytes: number;
}

export interface Figures {
  /** The first broadcast after the other candidates' rounds. */
  readonly cold: Sample[];
  /** The broadcast after that. */
  readonly warm: Sample[];
  readonly bursts: Map<number, Sample[]>;
}

interface BurstRow {
  size: number;
  ms: number;
  cpuMs: number;
  deliveriesPerCpuSecond: number;
  longestBlockMs: number;
}

export interface Row {
  name: string;
  coldMs: number;
  warmMs: number;
  warmCpuMs: number;
  longestBlockMs: number;
  rssMiB: number;
  bursts: BurstRow[];
}

const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
};

const medianOf = (samples: readonly Sample[], field: keyof Sample): number =>
  median(samples.map((sample) => sample[field]));

export function summarize(name: string, users: number, { cold, warm, bursts }: Figures): Row {
  return {
    name,
    coldMs: medianOf(cold, "allAfterMs"),
    warmMs: medianOf(warm, "allAfterMs"),
    warmCpuMs: medianOf(warm, "cpuMs"),
    longestBlockMs: medianOf(warm, "longestBlockMs"),
    rssMiB: medianOf(warm, "rssBytes") / 1_048_576,
    bursts: [...bursts].map(([size, samples]) => ({
      size,
      ms: medianOf(samples, "allAfterMs"),
      cpuMs: medianOf(samples, "cpuMs"),
      deliveriesPerCpuSecond: (size * users * 1000) / medianOf(samples, "cpuMs"),
      longestBlockMs: medianOf(samples, "longestBlockMs"),
    })),
  };
}

const REFERENCE = "default";

/** Prints one table; `×` columns are relative to Socket.IO's own adapter in the same run. */
export function printTable(users: number, rows: readonly Row[]): void {
  const reference = rows.find(({ name }) => name === REFERENCE);
  const times = (value: number, base: number | undefined): string =>
    base === undefined ? "-" : (value / base).toFixed(2);
  const sizes = rows[0]?.bursts.map(({ size }) => size) ?? [];
  const header = ["candidate", "warm ms", "×", "cold ms", "cpu ms", "×", "block ms", "RSS MiB"];
  for (const size of sizes)
    header.push(`${size} in a burst, ms`, "cpu ms", "deliveries/cpu-s", "×", "block ms");
  const lines = rows.map((row) => [
    row.name,
    row.warmMs.toFixed(1),
    times(row.warmMs, reference?.warmMs),
    row.coldMs.toFixed(1),
    row.warmCpuMs.toFixed(1),
    times(row.warmCpuMs, reference?.warmCpuMs),
    row.longestBlockMs.toFixed(1),
    row.rssMiB.toFixed(0),
    ...row.bursts.flatMap((burst, i) => [
      burst.ms.toFixed(0),
      burst.cpuMs.toFixed(0),
      Math.round(burst.deliveriesPerCpuSecond).toLocaleString("en"),
      times(burst.deliveriesPerCpuSecond, reference?.bursts[i]?.deliveriesPerCpuSecond),
      burst.longestBlockMs.toFixed(1),
    ]),
  ]);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const format = (line: readonly string[]): string =>
    `| ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  console.log(`\n${users} sockets: time until all have it\n`);
  console.log(format(header));
  console.log(`|${widths.map((width, i) => "-".repeat(width + 1) + (i === 0 ? "-" : ":")).join("|")}|`);
  for (const line of lines) console.log(format(line));
}
