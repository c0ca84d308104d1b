import type { Board } from "../dashboard.ts";
import { ON_OR_OFF, plot } from "../panel.ts";
import { mostBy, quantileBy, quantiles, rate, rateBy } from "../queries.ts";

export const moleculer: Board = {
  name: "moleculer",
  title: "Services (Moleculer)",
  description:
    "Calls between services: how many, where they are answered, how long that takes, and what fails.",
  sections: {
    Calls: [
      plot(
        "Where calls are answered",
        "'local' in the process that made them, 'remote' by another one over NATS or by another thread.",
        rateBy("fanfare_calls_total", "where"),
        { unit: "reqps", stacked: true },
      ),
      plot(
        "Calls by action",
        "The ten most frequent, also those that services make among themselves.",
        mostBy("fanfare_calls_total", "action"),
        { unit: "reqps" },
      ),
      plot(
        "Answered by process",
        "The writes of one channel go to one worker; all other calls go round.",
        rateBy("fanfare_action_duration_seconds_count", "instance"),
        { unit: "reqps", stacked: true },
      ),
      plot(
        "Time to answer by action (p99)",
        "In the process that answers, without the way there. The ten slowest.",
        quantileBy("fanfare_action_duration_seconds", "action"),
        { unit: "s" },
      ),
      plot("Time to answer", "All actions together.", quantiles("fanfare_action_duration_seconds"), {
        unit: "s",
      }),
      plot(
        "Where the time goes",
        "Calls of an action that are being answered at the same time, on average. The ten largest: calls in a second, times how long each takes.",
        mostBy("fanfare_action_duration_seconds_sum", "action"),
      ),
    ],
    Trouble: [
      plot(
        "Errors by code",
        "Calls answered with an error, by its code (docs/build/errors.md). OVERLOADED: a queue of the service is full.",
        rateBy("fanfare_action_errors_total", "code"),
        { unit: "reqps", runbooks: ["FanfareErrors", "FanfareOverloaded"] },
      ),
      plot(
        "Calls without an answer",
        "'timeout' none came in time, 'unreachable' the process has gone or cannot be reached.",
        [
          rate("fanfare_calls_unanswered_total", "all"),
          rateBy("fanfare_calls_unanswered_total", "action,reason"),
        ],
        { unit: "reqps", runbooks: ["FanfareCallsUnanswered"] },
      ),
      plot("Calls under way", "That each process is answering, and that it waits for others to answer.", [
        { expr: "sum by (instance) (fanfare_actions_active{S})", legend: "{{instance}} answering" },
        { expr: "fanfare_calls_pending{S}", legend: "{{instance}} waiting for others" },
      ]),
    ],
    Cluster: [
      plot(
        "Processes for each service",
        "Of those that Prometheus reaches.",
        { expr: "sum by (service) (fanfare_service_info{S})", legend: "{{service}}" },
        { runbooks: ["FanfareServiceMissing"] },
      ),
      plot(
        "Processes that know of each other",
        "Each should know the same number: otherwise the cluster is split.",
        "fanfare_known_nodes{S}",
        { runbooks: ["FanfareClusterSplit"] },
      ),
      plot(
        "Connected to NATS and Redis",
        "1 while it is.",
        [
          { expr: "fanfare_nats_connected{S}", legend: "{{instance}} NATS" },
          { expr: "fanfare_redis_connected{S}", legend: "{{instance}} Redis" },
        ],
        { ...ON_OR_OFF, runbooks: ["FanfareNatsDisconnected", "FanfareRedisDisconnected"] },
      ),
      plot(
        "Over NATS",
        "Messages received and sent by all processes: calls, publications and domain events.",
        [
          rate("fanfare_nats_received_bytes_total", "received"),
          rate("fanfare_nats_sent_bytes_total", "sent"),
        ],
        { unit: "Bps" },
      ),
      plot(
        "Messages over NATS",
        "Received and sent by all processes.",
        [
          rate("fanfare_nats_received_messages_total", "received"),
          rate("fanfare_nats_sent_messages_total", "sent"),
        ],
        { unit: "mps" },
      ),
      plot("Reconnections", "After each to NATS caches are forgotten and sockets brought up to date.", [
        rate("fanfare_nats_reconnects_total", "NATS"),
        rate("fanfare_redis_reconnects_total", "Redis"),
      ]),
    ],
  },
};
