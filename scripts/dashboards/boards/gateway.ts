import type { Board } from "../dashboard.ts";
import { ON_OR_OFF, PERCENT, plot } from "../panel.ts";
import { mostBy, quantileBy, quantiles, rate, rateBy } from "../queries.ts";

const LOGINS = 'action=~"user.login|user.createGuest|user.register|user.exchangeOidcCode"';

export const gateway: Board = {
  name: "gateway",
  title: "Gateway",
  description: "Connections, calls, and what gateways refuse.",
  sections: {
    Connections: [
      plot(
        "Connections",
        "Connections of each gateway, as a fraction of MAX_CONNECTIONS.",
        "fanfare_connections{S} / fanfare_connections_max{S}",
        { ...PERCENT, steps: { orange: 0.8, red: 0.95 }, runbooks: ["FanfareConnectionsNearLimit"] },
      ),
      plot(
        "Connects and disconnects",
        "Sockets that connected and disconnected, per second. A peak of both: a gateway or the network failed.",
        [rate("fanfare_connects_total", "connected"), rate("fanfare_disconnects_total", "disconnected")],
      ),
      plot(
        "Disconnects by reason",
        "Socket.IO's reasons. 'transport close': the client left. 'ping timeout': it didn't answer. 'transport error': the network failed.",
        rateBy("fanfare_disconnects_total", "reason"),
        { stacked: true },
      ),
    ],
    Calls: [
      plot(
        "Calls by action",
        "The ten most frequent, per second.",
        mostBy("fanfare_requests_total", "action"),
        { unit: "reqps" },
      ),
      plot(
        "Call duration by action (p99)",
        "The ten slowest, from the arrival to the successful answer.",
        quantileBy("fanfare_request_seconds", "action"),
        { unit: "s" },
      ),
      plot(
        "Call duration",
        "All actions together.",
        quantiles("fanfare_request_seconds", [0.5, 0.95, 0.99, 0.999]),
        { unit: "s" },
      ),
      plot(
        "Errors by code",
        "See docs/build/errors.md. INTERNAL, UNAVAILABLE, OVERLOADED and STORAGE_FULL are caused by the server.",
        rateBy("fanfare_requests_total", "outcome", 'outcome!="ok"'),
        { unit: "reqps", runbooks: ["FanfareErrors"] },
      ),
      plot("Calls by transport", "Over sockets and HTTP.", rateBy("fanfare_requests_total", "transport"), {
        unit: "reqps",
        stacked: true,
      }),
      plot(
        "Calls in progress",
        "And the limit. Calls beyond it are refused with OVERLOADED.",
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
    Refused: [
      plot(
        "Logins",
        "Logins that succeeded and failed, per second.",
        [
          rate("fanfare_requests_total", "opened", `${LOGINS},outcome="ok"`),
          rate("fanfare_requests_total", "refused", `${LOGINS},outcome!="ok"`),
        ],
        { runbooks: ["FanfareLoginFailures"] },
      ),
      plot(
        "Refused by the gateway",
        "Connections and packets that the gateway refused, per second.",
        [rate("fanfare_refused_total", "all"), rateBy("fanfare_refused_total", "reason")],
        { runbooks: ["FanfareConnectionsNearLimit"] },
      ),
      plot(
        "Rate limited",
        "Calls refused with RATE_LIMITED, per second.",
        rate("fanfare_requests_total", "calls", 'outcome="RATE_LIMITED"'),
      ),
      plot(
        "Slow sockets",
        "Sockets that read too slowly and received `resync`, per second.",
        rateBy("fanfare_slow_sockets_total", "instance"),
        { runbooks: ["FanfareSlowSockets"] },
      ),
      plot(
        "Written to sockets",
        "Bytes of events, without answers to calls.",
        rateBy("fanfare_fanout_bytes_total", "instance"),
        { unit: "Bps" },
      ),
      plot(
        "Maintenance",
        "1 in maintenance mode.",
        { expr: "max(fanfare_maintenance{S})", legend: "maintenance" },
        ON_OR_OFF,
      ),
    ],
  },
};
