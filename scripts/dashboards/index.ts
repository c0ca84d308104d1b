import { gateway } from "./boards/gateway.ts";
import { messages } from "./boards/messages.ts";
import { moleculer } from "./boards/moleculer.ts";
import { mongodb } from "./boards/mongodb.ts";
import { overview } from "./boards/overview.ts";
import { dashboardOf } from "./dashboard.ts";

/** Grafana's dashboards by file name. */
export const dashboards: Record<string, string> = Object.fromEntries(
  [overview, gateway, messages, moleculer, mongodb].map((board) => [
    `docker/monitoring/dashboards/${board.name}.json`,
    `${JSON.stringify(dashboardOf(board), null, 2)}\n`,
  ]),
);
