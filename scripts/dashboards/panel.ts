import {
  FieldColorModeId,
  ThresholdsMode,
  type FieldConfigSource,
  type Panel,
  type Threshold,
} from "@grafana/schema";

export interface Query {
  /** PromQL. `{S}`, or `{S,` before further labels, stands for the dashboard's variables. */
  expr: string;
  /** Name of the series; Grafana replaces `{{label}}`. */
  legend: string;
}

/** Plain PromQL has a series for each process. */
type Queries = string | Query | readonly (string | Query)[];

/** How a chart is shown. */
interface Look {
  /** An id of Grafana's units. */
  unit?: string;
  /** Thresholds of the colors, in ascending order. */
  steps?: Partial<Record<"yellow" | "orange" | "red", number>>;
  /** Whether the series add up to a whole. */
  stacked?: boolean;
  min?: number;
  max?: number;
  /** Of 24 columns. */
  width?: number;
  /** Alerts whose runbooks say what to do. */
  runbooks?: readonly string[];
}

export interface Chart extends Look {
  kind: "timeseries" | "stat" | "heatmap" | "table" | "text";
  title: string;
  /** What it means, and which values are healthy. Of a text: its Markdown. */
  description: string;
  queries: Queries;
}

const chartOf =
  (kind: Chart["kind"]) =>
  (title: string, description: string, queries: Queries, look: Look = {}): Chart => ({
    kind,
    title,
    description,
    queries,
    ...look,
  });

export const plot = chartOf("timeseries");
export const stat = chartOf("stat");
export const heatmap = chartOf("heatmap");
export const table = chartOf("table");
export const text = (markdown: string): Chart => chartOf("text")("", markdown, []);

export const ON_OR_OFF: Look = { min: 0, max: 1 };
export const PERCENT: Look = { unit: "percentunit", min: 0, max: 1 };

/** The dashboard's variables as a matcher. A missing namespace label matches `.*` too: compose has none. */
const SELECTOR = 'cluster=~"$cluster",namespace=~"$namespace",job=~"$job",instance=~"$instance"';
const RUNBOOKS = "docs/run/runbooks.md";
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };
const PLOT_WIDTH = 8;
const STAT_WIDTH = 4;
const PLOT_HEIGHT = 8;
const STAT_HEIGHT = 4;

export function widthOf({ kind, width }: Chart): number {
  return width ?? (kind === "stat" ? STAT_WIDTH : PLOT_WIDTH);
}

export function heightOf({ kind }: Chart): number {
  return kind === "stat" || kind === "text" ? STAT_HEIGHT : PLOT_HEIGHT;
}

/** A chart as a Grafana panel, without its position. */
export function panelOf(chart: Chart): Panel {
  const { kind, title, description, queries, runbooks = [] } = chart;
  if (kind === "text") {
    return { type: "text", title, transparent: true, options: { mode: "markdown", content: description } };
  }
  const isTable = kind === "table";
  return {
    type: kind,
    title,
    description: [
      description,
      ...runbooks.map((alert) => `Runbook: ${RUNBOOKS}#${alert.toLowerCase()}`),
    ].join("\n\n"),
    datasource: DATASOURCE,
    targets: [queries].flat().map((query, place) => ({
      refId: String.fromCodePoint("A".codePointAt(0)! + place),
      datasource: DATASOURCE,
      editorMode: "code",
      expr: (typeof query === "string" ? query : query.expr).replaceAll("{S", `{${SELECTOR}`),
      legendFormat: typeof query === "string" ? "{{instance}}" : query.legend,
      range: !isTable,
      instant: isTable,
      format: kind === "heatmap" ? "heatmap" : isTable ? "table" : "time_series",
    })),
    fieldConfig: fieldConfigOf(chart),
    options: OPTIONS[kind],
    ...(isTable && { transformations: [{ id: "organize", options: { excludeByName: HIDDEN_COLUMNS } }] }),
  };
}

const HIDDEN_COLUMNS = { Time: true, Value: true, __name__: true, alertstate: true };

const OPTIONS: Record<Exclude<Chart["kind"], "text">, Record<string, unknown>> = {
  timeseries: {
    legend: { displayMode: "list", placement: "bottom", showLegend: true, calcs: [] },
    tooltip: { mode: "multi", sort: "desc" },
  },
  stat: {
    reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
    colorMode: "value",
    graphMode: "area",
    justifyMode: "auto",
    orientation: "auto",
    textMode: "auto",
    wideLayout: true,
  },
  heatmap: {
    calculate: false,
    cellGap: 1,
    color: {
      mode: "scheme",
      scheme: "Oranges",
      steps: 64,
      exponent: 0.5,
      fill: "dark-orange",
      reverse: false,
    },
    yAxis: { axisPlacement: "left", unit: "s" },
    tooltip: { mode: "single", yHistogram: false, showColorScale: false },
    legend: { show: true },
    rowsFrame: { layout: "auto" },
    filterValues: { le: 1e-9 },
    showValue: "never",
    exemplars: { color: "rgba(255,0,255,0.7)" },
  },
  table: { showHeader: true, cellHeight: "sm", footer: { show: false, reducer: ["sum"], countRows: false } },
};

function fieldConfigOf({ kind, unit, steps = {}, stacked = false, min, max }: Chart): FieldConfigSource {
  const isPlot = kind === "timeseries";
  const thresholds: Threshold[] = [
    // JSON turns it into null.
    { value: -Infinity, color: isPlot ? "transparent" : "green" },
    ...Object.entries(steps).map(([color, value]) => ({ value, color })),
  ];
  return {
    defaults: {
      ...(unit !== undefined && { unit }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      color: { mode: isPlot ? FieldColorModeId.PaletteClassic : FieldColorModeId.Thresholds },
      thresholds: { mode: ThresholdsMode.Absolute, steps: thresholds },
      ...(isPlot && {
        custom: {
          drawStyle: "line",
          lineInterpolation: "linear",
          lineWidth: 1,
          fillOpacity: stacked ? 30 : 8,
          showPoints: "never",
          spanNulls: false,
          axisPlacement: "auto",
          scaleDistribution: { type: "linear" },
          stacking: { mode: stacked ? "normal" : "none", group: "A" },
          thresholdsStyle: { mode: thresholds.length === 1 ? "off" : "line" },
        },
      }),
    },
    overrides: [],
  };
}
