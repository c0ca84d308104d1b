import type { ServerSample } from "../kernels/broadcast/server-samples.ts";
import type { Series } from "./result.ts";

/** Lines of samples over time. */
export const lineOver =
  <Sample extends { atMs: number }>(seconds: string, samples: readonly Sample[]) =>
  (label: string, y: string, of: (sample: Sample) => number | null): Series => ({
    label,
    x: seconds,
    y,
    kind: "line",
    points: samples.map((sample) => ({ x: sample.atMs / 1000, y: of(sample) })),
  });

export function mebibytes(bytes: number | null): number | null {
  return bytes === null ? null : bytes / 1024 / 1024;
}

/** What a server used. */
export function serverLines(seconds: string, samples: readonly ServerSample[]): Series[] {
  const line = lineOver(seconds, samples);
  return [
    line("Server CPU", "cores", ({ cpuCores }) => cpuCores),
    line("Server memory (RSS)", "MiB", ({ rssBytes }) => mebibytes(rssBytes)),
    line("Longest event-loop delay of the server", "ms", ({ eventLoopMaxMs }) => eventLoopMaxMs),
  ];
}
