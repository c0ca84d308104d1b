import { bold, link, maybe, plain, short, text } from "@fanfare/markup";
import { z } from "zod";
import { type Convert, read } from "./webhook-message.ts";

const MAX_CHARS = 1000;

const uptimeKuma = z.object({
  msg: z.string(),
  monitor: maybe(z.object({ name: text, url: text, hostname: text })),
  heartbeat: maybe(z.object({ status: text, msg: text })),
});

const STATES = new Map([
  ["0", "🔴 Down:"],
  ["1", "🟢 Up:"],
  ["2", "🟡 Pending:"],
  ["3", "🔵 Under maintenance:"],
]);

/** Notifications of Uptime Kuma: https://github.com/louislam/uptime-kuma/issues/1207. Those about certificates have only a text. */
export const fromUptimeKuma: Convert = (payload) => {
  const { msg, monitor, heartbeat } = read(uptimeKuma, payload);
  const state = STATES.get(heartbeat?.status ?? "");
  if (monitor === null || heartbeat === null || state === undefined)
    return { text: plain(short(msg, MAX_CHARS)) };
  // The address of monitors that don't use HTTP.
  const url = monitor.url === "https://" ? "" : monitor.url;
  const linked = link(monitor.name, url);
  const name = linked.startsWith("[") ? `**${linked}**` : bold(monitor.name);
  const details = plain(short(heartbeat.msg.trim(), MAX_CHARS));
  return { text: `${state} ${name}${details === "" ? "" : `\n${details}`}`, url };
};
