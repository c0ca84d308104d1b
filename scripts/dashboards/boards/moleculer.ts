import type { Board } from "../dashboard.ts";
import { ON_OR_OFF, plot } from "../panel.ts";
import { mostBy, quantileBy, quantiles, rate, rateBy } from "../queries.ts";

export const moleculer: Board = {
  name: "moleculer",
  title: "Services (Moleculer)",
  description:
    "Calls between services: how many, where they are answered, how long they take, and what fails.",
  sections: {
    Calls: [
      plot(
        "Where calls are answered",
        "'local': in the same process. 'remote': in another process or thread.",
        rateBy("fanfare_calls_total", "where"),
        { unit: "reqps", stacked: true },
      ),
      plot(
        "Calls by action",
        "The ten most frequent, including calls between services.",
        mostBy("fanfare_calls_total", "action"),
        { unit: "reqps" },
      ),
      plot(
        "Calls by process",
        "Writes to one channel go to one worker; all other calls are spread.",
        rateBy("fanfare_action_duration_seconds_count", "instance"),
        { unit: "reqps", stacked: true },
      ),
      plot(
        "Call duration by action (p99)",
        "The ten slowest, measured in the process that answers.",
        quantileBy("fanfare_action_duration_seconds", "action"),
        { unit: "s" },
      ),
      plot("Call duration", "All actions together.", quantiles("fanfare_action_duration_seconds"), {
        unit: "s",
      }),
      plot(
        "Where the time goes",
        "The ten actions with the most calls in progress on average: calls per second, times their duration.",
        mostBy("fanfare_action_duration_seconds_sum", "action"),
      ),
    ],
    Errors: [
      plot(
        "Errors by code",
        "See docs/build/errors.md. OVERLOADED: a queue of the service is full.",
        rateBy("fanfare_action_errors_total", "code"),
        { unit: "reqps", runbooks: ["FanfareErrors", "FanfareOverloaded"] },
      ),
      plot(
        "Calls without an answer",
        "'timeout': no answer in time. 'unreachable': the process is gone or can't be reached.",
        [
          rate("fanfare_calls_unanswered_total", "all"),
          rateBy("fanfare_calls_unanswered_total", "action,reason"),
        ],
        { unit: "reqps", runbooks: ["FanfareCallsUnanswered"] },
      ),
      plot("Calls in progress", "Calls that each process answers, and calls that it waits for.", [
        { expr: "sum by (instance) (fanfare_actions_active{S})", legend: "{{instance}} answering" },
        { expr: "fanfare_calls_pending{S}", legend: "{{instance}} waiting for others" },
      ]),
    ],
    Cluster: [
      plot(
        "Processes by service",
        "Number of processes that run each service.",
        { expr: "sum by (service) (fanfare_service_info{S})", legend: "{{service}}" },
        { runbooks: ["FanfareServiceMissing"] },
      ),
      plot(
        "Known processes",
        "All should know the same number. Otherwise, the cluster is split.",
        "fanfare_known_nodes{S}",
        { runbooks: ["FanfareClusterSplit"] },
      ),
      plot(
        "Connected to NATS and Redis",
        "1 if connected.",
        [
          { expr: "fanfare_nats_connected{S}", legend: "{{instance}} NATS" },
          { expr: "fanfare_redis_connected{S}", legend: "{{instance}} Redis" },
        ],
        { ...ON_OR_OFF, runbooks: ["FanfareNatsDisconnected", "FanfareRedisDisconnected"] },
      ),
      plot(
        "NATS traffic",
        "Bytes received and sent by all processes.",
        [
          rate("fanfare_nats_received_bytes_total", "received"),
          rate("fanfare_nats_sent_bytes_total", "sent"),
        ],
        { unit: "Bps" },
      ),
      plot(
        "NATS messages",
        "Messages received and sent by all processes.",
        [
          rate("fanfare_nats_received_messages_total", "received"),
          rate("fanfare_nats_sent_messages_total", "sent"),
        ],
        { unit: "mps" },
      ),
      plot(
        "Reconnections",
        "After each reconnection to NATS, caches are cleared and clients fetch what they missed.",
        [rate("fanfare_nats_reconnects_total", "NATS"), rate("fanfare_redis_reconnects_total", "Redis")],
      ),
    ],
  },
};
