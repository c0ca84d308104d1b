import type { Board } from "../dashboard.ts";
import { ON_OR_OFF, PERCENT, plot } from "../panel.ts";
import { mostBy, quantileBy, quantiles, rate, rateBy } from "../queries.ts";

const LOGINS = 'action=~"user.login|user.createGuest|user.register|user.exchangeOidcCode"';

export const gateway: Board = {
  name: "gateway",
  title: "Gateway",
  description: "The edge: who is connected, what is called, and what is turned away.",
  sections: {
    Connections: [
      plot(
        "Connections",
        "Part of MAX_CONNECTIONS of each gateway.",
        "fanfare_connections{S} / fanfare_connections_max{S}",
        { ...PERCENT, steps: { orange: 0.8, red: 0.95 }, runbooks: ["FanfareConnectionsNearLimit"] },
      ),
      plot(
        "Connections coming and going",
        "Sockets that are logged in and those that have gone, in a second. A storm of both: a gateway or the network was away.",
        [rate("fanfare_connects_total", "come"), rate("fanfare_disconnects_total", "gone")],
      ),
      plot(
        "Why sockets go",
        "Socket.IO's reason: 'transport close' the client went, 'ping timeout' nothing was heard of it, 'transport error' the network broke.",
        rateBy("fanfare_disconnects_total", "reason"),
        { stacked: true },
      ),
    ],
    Calls: [
      plot(
        "Calls by action",
        "The ten most frequent, answered in a second.",
        mostBy("fanfare_requests_total", "action"),
        { unit: "reqps" },
      ),
      plot(
        "Time to answer by action (p99)",
        "The ten slowest, from arrival to successful answer.",
        quantileBy("fanfare_request_seconds", "action"),
        { unit: "s" },
      ),
      plot(
        "Time to answer",
        "All actions together.",
        quantiles("fanfare_request_seconds", [0.5, 0.95, 0.99, 0.999]),
        { unit: "s" },
      ),
      plot(
        "Errors by code",
        "As in docs/build/errors.md. INTERNAL, UNAVAILABLE, OVERLOADED and STORAGE_FULL are the server's fault.",
        rateBy("fanfare_requests_total", "outcome", 'outcome!="ok"'),
        { unit: "reqps", runbooks: ["FanfareErrors"] },
      ),
      plot("By transport", "Over sockets, and by HTTP.", rateBy("fanfare_requests_total", "transport"), {
        unit: "reqps",
        stacked: true,
      }),
      plot(
        "Calls under way",
        "And how many are accepted at once: calls beyond the limit are answered OVERLOADED.",
        [
          "fanfare_requests_active{S}",
          { expr: "fanfare_requests_active_max{S}", legend: "limit of {{instance}}" },
        ],
        { runbooks: ["FanfareOverloaded"] },
      ),
      plot(
        "Overload",
        "How much longer than usual the median call takes, and how long a gateway has been overloaded.",
        [
          { expr: "fanfare_request_delay_seconds{S}", legend: "delay at {{instance}}" },
          { expr: "fanfare_overloaded_seconds{S}", legend: "{{instance}} overloaded for" },
        ],
        { unit: "s", runbooks: ["FanfareOverloaded"] },
      ),
    ],
    "At the door": [
      plot(
        "Logins",
        "Sessions opened, and attempts that were refused, in a second.",
        [
          rate("fanfare_requests_total", "opened", `${LOGINS},outcome="ok"`),
          rate("fanfare_requests_total", "refused", `${LOGINS},outcome!="ok"`),
        ],
        { runbooks: ["FanfareLoginFailures"] },
      ),
      plot(
        "Turned away by the gateway itself",
        "Not calls, but connections and packets: too many of them, floods, and what asks for no answer.",
        [rate("fanfare_refused_total", "all"), rateBy("fanfare_refused_total", "reason")],
        { runbooks: ["FanfareConnectionsNearLimit"] },
      ),
      plot(
        "Rate limited",
        "Calls answered RATE_LIMITED, in a second.",
        rate("fanfare_requests_total", "calls", 'outcome="RATE_LIMITED"'),
      ),
      plot(
        "Slow sockets",
        "Sockets per second that were sent `resync` because they read too slowly and missed publications.",
        rateBy("fanfare_slow_sockets_total", "instance"),
        { runbooks: ["FanfareSlowSockets"] },
      ),
      plot(
        "Written to sockets",
        "By publications, without answers to calls.",
        rateBy("fanfare_fanout_bytes_total", "instance"),
        { unit: "Bps" },
      ),
      plot(
        "Maintenance",
        "1 while an admin has switched it on: changes are refused.",
        { expr: "max(fanfare_maintenance{S})", legend: "maintenance" },
        ON_OR_OFF,
      ),
    ],
  },
};
