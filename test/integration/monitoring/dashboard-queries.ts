import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DASHBOARDS_FOLDER = fileURLToPath(new URL("../../../docker/monitoring/dashboards", import.meta.url));

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
  templating: { list: { name: string; query: unknown }[] };
}

export interface DashboardQuery {
  /** Dashboard, panel, and the query's place in it. */
  where: string;
  /** With Grafana's variables replaced; selectors match everything. */
  expr: string;
}

/** Every query of every panel, with rates over `window`. */
export function dashboardQueries(window: string): DashboardQuery[] {
  return readDashboards().flatMap(({ file, dashboard }) =>
    dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }, place) => ({
        where: `${file}: ${title} ${"ABCDEF"[place]}`,
        expr: expr
          .replaceAll("$__rate_interval", window)
          .replaceAll(/\$(cluster|namespace|job|instance)\b/g, ".*"),
      })),
    ),
  );
}

function readDashboards(): { file: string; dashboard: Dashboard }[] {
  return readdirSync(DASHBOARDS_FOLDER).map((file) => ({
    file,
    dashboard: JSON.parse(readFileSync(join(DASHBOARDS_FOLDER, file), "utf8")) as Dashboard,
  }));
}
