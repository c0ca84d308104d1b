import {
  DashboardCursorSync,
  VariableRefresh,
  VariableSort,
  type Dashboard,
  type Panel,
  type VariableModel,
} from "@grafana/schema";
import { heightOf, panelOf, widthOf, type Chart } from "./panel.ts";

export interface Board {
  /** Its file name, and the end of its uid. */
  name: string;
  title: string;
  description: string;
  /** The charts of each section, by its title. */
  sections: Record<string, readonly Chart[]>;
}

const SCHEMA_VERSION = 42;
const COLUMNS = 24;
const TAG = "fanfare";

/** The variables narrow everything Prometheus knows down to one process. */
const LABELS = [
  { name: "cluster", label: "Cluster", of: "fanfare_build_info" },
  { name: "namespace", label: "Namespace", of: 'fanfare_build_info{cluster=~"$cluster"}' },
  { name: "job", label: "Job", of: 'fanfare_build_info{cluster=~"$cluster",namespace=~"$namespace"}' },
  {
    name: "instance",
    label: "Process",
    of: 'fanfare_build_info{cluster=~"$cluster",namespace=~"$namespace",job=~"$job"}',
  },
];

export function dashboardOf({ name, title, description, sections }: Board): Dashboard {
  return {
    uid: `fanfare-${name}`,
    title: `Fanfare / ${title}`,
    description,
    tags: [TAG],
    editable: true,
    graphTooltip: DashboardCursorSync.Crosshair,
    refresh: "30s",
    schemaVersion: SCHEMA_VERSION,
    time: { from: "now-1h", to: "now" },
    timezone: "browser",
    templating: { list: [datasource, ...LABELS.map(variable)] },
    annotations: {
      list: [restarts],
    },
    links: [
      {
        title: "Fanfare",
        type: "dashboards",
        tags: [TAG],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
        targetBlank: false,
        icon: "external link",
        tooltip: "",
      },
    ],
    panels: placed(sections),
  };
}

/** Marked in every plot. */
const restarts = {
  name: "Restarts",
  enable: true,
  iconColor: "orange",
  datasource: { type: "prometheus", uid: "${datasource}" },
  expr: 'changes(process_start_time_seconds{job=~"$job",instance=~"$instance"}[1m]) > 0',
};

const datasource: VariableModel = {
  type: "datasource",
  name: "datasource",
  label: "Prometheus",
  query: "prometheus",
};

function variable({ name, label, of }: (typeof LABELS)[number]): VariableModel {
  return {
    type: "query",
    name,
    label,
    datasource: { type: "prometheus", uid: "${datasource}" },
    query: { query: `label_values(${of}, ${name})`, refId: name },
    includeAll: true,
    allValue: ".*",
    multi: true,
    current: { text: ["All"], value: ["$__all"] },
    refresh: VariableRefresh.onTimeRangeChanged,
    sort: VariableSort.alphabeticalAsc,
  };
}

/** Places charts from left to right, each section under a row with its title. */
function placed(sections: Board["sections"]): NonNullable<Dashboard["panels"]> {
  const panels: NonNullable<Dashboard["panels"]> = [];
  let id = 0;
  let y = 0;
  for (const [title, charts] of Object.entries(sections)) {
    panels.push({
      type: "row",
      id: ++id,
      title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: COLUMNS, h: 1 },
      panels: [],
    });
    let x = 0;
    let height = 0;
    for (const chart of charts) {
      const [w, h] = [widthOf(chart), heightOf(chart)];
      if (x + w > COLUMNS) {
        y += height;
        x = height = 0;
      }
      const panel: Panel = { ...panelOf(chart), id: ++id, gridPos: { x, y, w, h } };
      panels.push(panel);
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return panels;
}
