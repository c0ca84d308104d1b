import { bold, lines, plain, text } from "@fanfare/markup";
import { invalid } from "@fanfare/kernel";
import { z } from "zod";
import { alerts, alertsText } from "./alertmanager.ts";
import { type Convert, read } from "./webhook-message.ts";

const grafana = z.object({ alerts, title: text, message: text, externalURL: text });

/** Notifications of Grafana's unified alerting: https://grafana.com/docs/grafana/latest/alerting/ */
export const fromGrafana: Convert = (payload) => {
  const { alerts, title, message, externalURL: url } = read(grafana, payload);
  const shown = alerts.total > 0 ? alertsText(alerts, url) : lines(bold(title), plain(message));
  if (shown === "") throw invalid("alerts", "is missing or empty");
  return { text: shown, url };
};
