import type { Board } from "../dashboard.ts";
import { quantileBy, quantiles, rate, rateBy } from "../durations.ts";

export const moleculer: Board = {
  name: "moleculer",
  title: "Services (Moleculer)",
  description:
    "Calls between services: how many, where they are answered, how long that takes, and what fails.",
  sections: [
    {
      title: "Calls",
      charts: [
        {
          kind: "timeseries",
          title: "Where calls are answered",
          description:
            "'local' in the process that made them, 'remote' by another one over NATS or by another thread.",
          unit: "reqps",
          stacked: true,
          queries: [rateBy("fanfare_calls_total", "where")],
        },
        {
          kind: "timeseries",
          title: "Calls by action",
          description: "The ten most frequent, also those that services make among themselves.",
          unit: "reqps",
          queries: [
            {
              expr: "topk(10, sum by (action) (rate(fanfare_calls_total{S}[$__rate_interval])) > 0)",
              legend: "{{action}}",
            },
          ],
        },
        {
          kind: "timeseries",
          title: "Answered by process",
          description: "The writes of one channel go to one worker; all other calls go round.",
          unit: "reqps",
          stacked: true,
          queries: [rateBy("fanfare_action_duration_seconds_count", "instance")],
        },
        {
          kind: "timeseries",
          title: "Time to answer by action (p99)",
          description: "In the process that answers, without the way there. The ten slowest.",
          unit: "s",
          queries: [quantileBy("fanfare_action_duration_seconds", "action")],
        },
        {
          kind: "timeseries",
          title: "Time to answer",
          description: "All actions together.",
          unit: "s",
          queries: quantiles("fanfare_action_duration_seconds"),
        },
        {
          kind: "timeseries",
          title: "Where the time goes",
          description:
            "Calls of an action that are being answered at the same time, on average. The ten largest: calls in a second, times how long each takes.",
          queries: [
            {
              expr: "topk(10, sum by (action) (rate(fanfare_action_duration_seconds_sum{S}[$__rate_interval])) > 0)",
              legend: "{{action}}",
            },
          ],
        },
      ],
    },
    {
      title: "Trouble",
      charts: [
        {
          kind: "timeseries",
          title: "Errors by code",
          description:
            "Calls answered with an error, by its code (docs/errors.md). OVERLOADED: a queue of the service is full.",
          unit: "reqps",
          queries: [rateBy("fanfare_action_errors_total", "code")],
          runbooks: ["FanfareErrors", "FanfareOverloaded"],
        },
        {
          kind: "timeseries",
          title: "Calls without an answer",
          description:
            "'timeout' none came in time, 'unreachable' the process has gone or cannot be reached.",
          unit: "reqps",
          queries: [
            rate("fanfare_calls_unanswered_total", "all"),
            rateBy("fanfare_calls_unanswered_total", "action,reason"),
          ],
          runbooks: ["FanfareCallsUnanswered"],
        },
        {
          kind: "timeseries",
          title: "Calls under way",
          description: "That each process is answering, and that it waits for others to answer.",
          queries: [
            { expr: "sum by (instance) (fanfare_actions_active{S})", legend: "{{instance}} answering" },
            { expr: "fanfare_calls_pending{S}", legend: "{{instance}} waiting for others" },
          ],
        },
      ],
    },
    {
      title: "Cluster",
      charts: [
        {
          kind: "timeseries",
          title: "Processes for each service",
          description: "Of those that Prometheus reaches.",
          queries: [{ expr: "sum by (service) (fanfare_service_info{S})", legend: "{{service}}" }],
          runbooks: ["FanfareServiceMissing"],
        },
        {
          kind: "timeseries",
          title: "Processes that know of each other",
          description: "Each should know the same number: otherwise the cluster is split.",
          queries: [{ expr: "fanfare_known_nodes{S}", legend: "{{instance}}" }],
          runbooks: ["FanfareClusterSplit"],
        },
        {
          kind: "timeseries",
          title: "Connected to NATS and Redis",
          description: "1 while it is.",
          min: 0,
          max: 1,
          queries: [
            { expr: "fanfare_nats_connected{S}", legend: "{{instance}} NATS" },
            { expr: "fanfare_redis_connected{S}", legend: "{{instance}} Redis" },
          ],
          runbooks: ["FanfareNatsDisconnected", "FanfareRedisDisconnected"],
        },
        {
          kind: "timeseries",
          title: "Over NATS",
          description:
            "Received and sent by all processes: calls, publications and what services tell each other.",
          unit: "Bps",
          queries: [
            rate("fanfare_nats_received_bytes_total", "received"),
            rate("fanfare_nats_sent_bytes_total", "sent"),
          ],
        },
        {
          kind: "timeseries",
          title: "Messages over NATS",
          description: "Received and sent by all processes.",
          unit: "mps",
          queries: [
            rate("fanfare_nats_received_messages_total", "received"),
            rate("fanfare_nats_sent_messages_total", "sent"),
          ],
        },
        {
          kind: "timeseries",
          title: "Connections made anew",
          description: "After each to NATS caches are forgotten and sockets brought up to date.",
          queries: [
            rate("fanfare_nats_reconnects_total", "NATS"),
            rate("fanfare_redis_reconnects_total", "Redis"),
          ],
        },
      ],
    },
  ],
};
