/** Samples of a server's metrics at one moment, by name and labels. */
export interface MetricSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const FETCH_TIMEOUT_MS = 10_000;

/** Source: Prometheus text exposition format 0.0.4. Our label values contain no quotes. */
export function parseMetrics(text: string): MetricSample[] {
  return text.split("\n").flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match) return [];
    const [, name = "", labelText = "", value = ""] = match;
    const labels = Object.fromEntries(
      [...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text_]) => [label!, text_!]),
    );
    return [{ name, labels, value: Number(value) }];
  });
}

/** @throws {Error} if the server doesn't answer */
export async function fetchMetrics(url: string): Promise<MetricSample[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  return parseMetrics(await response.text());
}

/** The sum of all samples of this name with these labels; 0 without any. */
export function sumOf(
  samples: readonly MetricSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

export interface HistogramChange {
  count: number;
  meanMs: number | null;
  /** Upper bound of the bucket with the p99; null: beyond the last bucket, or no observations. */
  p99BelowMs: number | null;
}

/** What a histogram of seconds has counted between two samples. */
export function histogramChange(
  before: readonly MetricSample[],
  after: readonly MetricSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): HistogramChange {
  const change = (suffix: string, more: Readonly<Record<string, string>> = {}) => {
    const all = { ...labels, ...more };
    return sumOf(after, name + suffix, all) - sumOf(before, name + suffix, all);
  };
  const count = change("_count");
  const ends = new Set(
    after.filter((sample) => sample.name === `${name}_bucket`).map(({ labels: { le } }) => le ?? ""),
  );
  const enough = [...ends]
    .filter((le) => le !== "+Inf" && change("_bucket", { le }) >= 0.99 * count)
    .map(Number)
    .sort((a, b) => a - b);
  return {
    count,
    meanMs: count === 0 ? null : (change("_sum") / count) * 1000,
    p99BelowMs: count === 0 || enough[0] === undefined ? null : enough[0] * 1000,
  };
}
