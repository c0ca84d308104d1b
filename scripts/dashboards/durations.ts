import type { Query } from "./panel.ts";

const TOTAL = "$__rate_interval";

/** Quantiles of a histogram, of all processes together. */
export function quantiles(histogram: string, ofAll: readonly number[] = [0.5, 0.95, 0.99]): Query[] {
  return ofAll.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket{S}[${TOTAL}])))`,
    legend: `p${String(quantile * 100)}`,
  }));
}

/** One quantile of a histogram for each value of a label, the largest first. */
export function quantileBy(histogram: string, label: string, quantile = 0.99): Query {
  return {
    expr: `topk(10, histogram_quantile(${quantile}, sum by (le, ${label}) (rate(${histogram}_bucket{S}[${TOTAL}]))) > 0)`,
    legend: `{{${label}}}`,
  };
}

/** How often a second, by labels. */
export function rateBy(counter: string, labels: string, matchers = ""): Query {
  return {
    expr: `sum by (${labels}) (rate(${counter}{S${matchers === "" ? "" : `,${matchers}`}}[${TOTAL}]))`,
    legend: labels
      .split(",")
      .map((label) => `{{${label.trim()}}}`)
      .join(" "),
  };
}

/** How often a second in all; 0 where nothing of the kind has ever happened. */
export function rate(counter: string, legend: string, matchers = ""): Query {
  return {
    expr: `sum(rate(${counter}{S${matchers === "" ? "" : `,${matchers}`}}[${TOTAL}])) or vector(0)`,
    legend,
  };
}
