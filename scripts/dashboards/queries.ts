import type { Query } from "./panel.ts";

const INTERVAL = "$__rate_interval";

const selected = (matchers: string): string => (matchers === "" ? "S" : `S,${matchers}`);

/** Quantiles of a histogram, of all processes together. */
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

/** How often a second, by labels. */
export function rateBy(counter: string, labels: string, matchers = ""): Query {
  return {
    expr: `sum by (${labels}) (rate(${counter}{${selected(matchers)}}[${INTERVAL}]))`,
    legend: labels
      .split(",")
      .map((label) => `{{${label.trim()}}}`)
      .join(" "),
  };
}

/** How often a second in all; 0 where nothing of the kind has ever happened. */
export function rate(counter: string, legend: string, matchers = ""): Query {
  return {
    expr: `sum(rate(${counter}{${selected(matchers)}}[${INTERVAL}])) or vector(0)`,
    legend,
  };
}

/** How often a second, of the ten values of a label with the most. */
export function mostBy(counter: string, label: string): Query {
  return {
    expr: `topk(10, sum by (${label}) (rate(${counter}{S}[${INTERVAL}])) > 0)`,
    legend: `{{${label}}}`,
  };
}

/** What one of these has of the others, on average. */
export function mean(total: string, count: string): Query {
  return {
    expr: `sum(rate(${total}{S}[${INTERVAL}])) / sum(rate(${count}{S}[${INTERVAL}]))`,
    legend: "mean",
  };
}

/** A histogram as the heatmap that it is. */
export function buckets(histogram: string): Query {
  return { expr: `sum by (le) (increase(${histogram}_bucket{S}[${INTERVAL}]))`, legend: "{{le}}" };
}
