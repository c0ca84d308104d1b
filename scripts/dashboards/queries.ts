import type { Query } from "./panel.ts";

const INTERVAL = "$__rate_interval";

const selected = (matchers: string): string => (matchers === "" ? "S" : `S,${matchers}`);

/** Quantiles of a histogram over all processes. */
export function quantiles(
  histogram: string,
  ofAll: readonly number[] = [0.5, 0.95, 0.99],
  matchers = "",
): Query[] {
  return ofAll.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket{${selected(matchers)}}[${INTERVAL}])))`,
    legend: `p${String(quantile * 100)}`,
  }));
}

/** One quantile of a histogram for each value of a label, the largest first. */
export function quantileBy(histogram: string, label: string, quantile = 0.99): Query {
  return {
    expr: `topk(10, histogram_quantile(${quantile}, sum by (le, ${label}) (rate(${histogram}_bucket{S}[${INTERVAL}]))) > 0)`,
    legend: `{{${label}}}`,
  };
}

/** Rate per second, by labels. */
export function rateBy(counter: string, labels: string, matchers = ""): Query {
  return {
    expr: `sum by (${labels}) (rate(${counter}{${selected(matchers)}}[${INTERVAL}]))`,
    legend: labels
      .split(",")
      .map((label) => `{{${label.trim()}}}`)
      .join(" "),
  };
}

/** Total rate per second; 0 if it has never happened. */
export function rate(counter: string, legend: string, matchers = ""): Query {
  return {
    expr: `sum(rate(${counter}{${selected(matchers)}}[${INTERVAL}])) or vector(0)`,
    legend,
  };
}

/** Rate per second of the ten largest values of a label. */
export function mostBy(counter: string, label: string): Query {
  return {
    expr: `topk(10, sum by (${label}) (rate(${counter}{S}[${INTERVAL}])) > 0)`,
    legend: `{{${label}}}`,
  };
}

/** The mean of `total` per `count`. */
export function mean(total: string, count: string): Query {
  return {
    expr: `sum(rate(${total}{S}[${INTERVAL}])) / sum(rate(${count}{S}[${INTERVAL}]))`,
    legend: "mean",
  };
}

/** A histogram as a heatmap. */
export function buckets(histogram: string): Query {
  return { expr: `sum by (le) (increase(${histogram}_bucket{S}[${INTERVAL}]))`, legend: "{{le}}" };
}
