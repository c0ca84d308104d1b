import type { Board } from "../dashboard.ts";
import { quantileBy, quantiles, rate, rateBy } from "../durations.ts";

const LOGINS = 'action=~"user.login|user.createGuest|user.register|user.exchangeOidcCode"';

export const gateway: Board = {
  name: "gateway",
  title: "Gateway",
  description: "The edge: who is connected, what is called, and what is turned away.",
  sections: [
    {
      title: "Connections",
      charts: [
        {
          kind: "timeseries",
          title: "Connections",
          description: "Part of MAX_CONNECTIONS of each gateway.",
          unit: "percentunit",
          min: 0,
          max: 1,
          queries: [{ expr: "fanfare_connections{S} / fanfare_connections_max{S}", legend: "{{instance}}" }],
          steps: [
            { from: 0.8, color: "orange" },
            { from: 0.95, color: "red" },
          ],
          runbooks: ["FanfareConnectionsNearLimit"],
        },
        {
          kind: "timeseries",
          title: "Connections coming and going",
          description:
            "Sockets that are logged in and those that have gone, in a second. A storm of both: a gateway or the network was away.",
          queries: [rate("fanfare_connects_total", "come"), rate("fanfare_disconnects_total", "gone")],
        },
        {
          kind: "timeseries",
          title: "Why sockets go",
          description:
            "Socket.IO's reason: 'transport close' the client went, 'ping timeout' nothing was heard of it, 'transport error' the network broke.",
          stacked: true,
          queries: [rateBy("fanfare_disconnects_total", "reason")],
        },
      ],
    },
    {
      title: "Calls",
      charts: [
        {
          kind: "timeseries",
          title: "Calls by action",
          description: "The ten most frequent, answered in a second.",
          unit: "reqps",
          queries: [
            {
              expr: "topk(10, sum by (action) (rate(fanfare_requests_total{S}[$__rate_interval])) > 0)",
              legend: "{{action}}",
            },
          ],
        },
        {
          kind: "timeseries",
          title: "Time to answer by action (p99)",
          description: "The ten slowest, from arrival to successful answer.",
          unit: "s",
          queries: [quantileBy("fanfare_request_seconds", "action")],
        },
        {
          kind: "timeseries",
          title: "Time to answer",
          description: "All actions together.",
          unit: "s",
          queries: quantiles("fanfare_request_seconds", [0.5, 0.95, 0.99, 0.999]),
        },
        {
          kind: "timeseries",
          title: "Errors by code",
          description:
            "As in docs/errors.md. INTERNAL, UNAVAILABLE, OVERLOADED and STORAGE_FULL are the server's fault.",
          unit: "reqps",
          queries: [rateBy("fanfare_requests_total", "outcome", 'outcome!="ok"')],
          runbooks: ["FanfareErrors"],
        },
        {
          kind: "timeseries",
          title: "By transport",
          description: "Over sockets, and by HTTP.",
          unit: "reqps",
          stacked: true,
          queries: [rateBy("fanfare_requests_total", "transport")],
        },
        {
          kind: "timeseries",
          title: "Calls under way",
          description: "And how many are accepted at once: calls beyond the limit are answered OVERLOADED.",
          queries: [
            { expr: "fanfare_requests_active{S}", legend: "{{instance}}" },
            { expr: "fanfare_requests_active_max{S}", legend: "limit of {{instance}}" },
          ],
          runbooks: ["FanfareOverloaded"],
        },
        {
          kind: "timeseries",
          title: "Overload",
          description:
            "How much longer than usual the median call takes, and how long a gateway has been overloaded.",
          unit: "s",
          queries: [
            { expr: "fanfare_request_delay_seconds{S}", legend: "delay at {{instance}}" },
            { expr: "fanfare_overloaded_seconds{S}", legend: "{{instance}} overloaded for" },
          ],
          runbooks: ["FanfareOverloaded"],
        },
      ],
    },
    {
      title: "At the door",
      charts: [
        {
          kind: "timeseries",
          title: "Logins",
          description: "Sessions opened, and attempts that were refused, in a second.",
          queries: [
            rate("fanfare_requests_total", "opened", `${LOGINS},outcome="ok"`),
            rate("fanfare_requests_total", "refused", `${LOGINS},outcome!="ok"`),
          ],
          runbooks: ["FanfareLoginFailures"],
        },
        {
          kind: "timeseries",
          title: "Turned away by the gateway itself",
          description:
            "Not calls, but connections and packets: too many of them, floods, and what asks for no answer.",
          queries: [rate("fanfare_refused_total", "all"), rateBy("fanfare_refused_total", "reason")],
          runbooks: ["FanfareConnectionsNearLimit"],
        },
        {
          kind: "timeseries",
          title: "Rate limited",
          description: "Calls answered RATE_LIMITED, in a second.",
          queries: [rate("fanfare_requests_total", "calls", 'outcome="RATE_LIMITED"')],
        },
        {
          kind: "timeseries",
          title: "Slow sockets",
          description:
            "Sockets that read too slowly, missed publications and were told to resync, in a second.",
          queries: [rateBy("fanfare_slow_sockets_total", "instance")],
          runbooks: ["FanfareSlowSockets"],
        },
        {
          kind: "timeseries",
          title: "Written to sockets",
          description: "By publications, without answers to calls.",
          unit: "Bps",
          queries: [rateBy("fanfare_fanout_bytes_total", "instance")],
        },
        {
          kind: "timeseries",
          title: "Maintenance",
          description: "1 while an admin has switched it on: changes are refused.",
          min: 0,
          max: 1,
          queries: [{ expr: "max(fanfare_maintenance{S})", legend: "maintenance" }],
        },
      ],
    },
  ],
};
