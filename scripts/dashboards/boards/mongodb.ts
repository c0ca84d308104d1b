import type { Board } from "../dashboard.ts";
import { quantiles, rate, rateBy } from "../durations.ts";

export const mongodb: Board = {
  name: "mongodb",
  title: "MongoDB",
  description:
    "The database as the processes see it; the embedded one speaks the same protocol and is seen the same way.",
  sections: [
    {
      title: "Commands",
      charts: [
        {
          kind: "timeseries",
          title: "Commands",
          description: "By process, in a second.",
          unit: "ops",
          stacked: true,
          queries: [rateBy("fanfare_database_command_duration_seconds_count", "instance")],
        },
        {
          kind: "timeseries",
          title: "Time of a command",
          description: "The way to the database and its work. It includes the journal of writes.",
          unit: "s",
          queries: quantiles("fanfare_database_command_duration_seconds", [0.5, 0.95, 0.99]),
          steps: [{ from: 0.5, color: "red" }],
          runbooks: ["FanfareDatabaseSlow"],
        },
        {
          kind: "heatmap",
          title: "Commands by time",
          description: "How many took how long.",
          queries: [
            {
              expr: "sum by (le) (increase(fanfare_database_command_duration_seconds_bucket{S}[$__rate_interval]))",
              legend: "{{le}}",
            },
          ],
        },
        {
          kind: "timeseries",
          title: "Mean time of a command by process",
          description: "One process alone: its network. All: the database.",
          unit: "s",
          queries: [
            {
              expr: "sum by (instance) (rate(fanfare_database_command_duration_seconds_sum{S}[$__rate_interval])) / sum by (instance) (rate(fanfare_database_command_duration_seconds_count{S}[$__rate_interval]))",
              legend: "{{instance}}",
            },
          ],
        },
        {
          kind: "timeseries",
          title: "Time to write messages",
          description: "The writes that people wait for.",
          unit: "s",
          queries: quantiles("fanfare_message_commit_seconds"),
          runbooks: ["FanfareMessagesSlow"],
        },
        {
          kind: "table",
          title: "Where it is stored",
          description: "embedded: in a process beside this one, in DATA_DIR. mongodb: at MONGO_URL.",
          queries: [{ expr: 'fanfare_build_info{S,engine!="none"}', legend: "{{instance}}" }],
        },
      ],
    },
    {
      title: "Connections",
      charts: [
        {
          kind: "timeseries",
          title: "Connections in use",
          description: "Part of what the pool of each process has.",
          unit: "percentunit",
          min: 0,
          max: 1,
          queries: [
            {
              expr: "fanfare_database_connections_in_use{S} / fanfare_database_connections_max{S}",
              legend: "{{instance}}",
            },
          ],
          steps: [{ from: 0.9, color: "red" }],
          runbooks: ["FanfareDatabasePoolExhausted"],
        },
        {
          kind: "timeseries",
          title: "Commands that wait for a connection",
          description: "More than a moment's handful: the pool is too small, or the database too slow.",
          queries: [{ expr: "fanfare_database_commands_waiting{S}", legend: "{{instance}}" }],
          runbooks: ["FanfareDatabasePoolExhausted"],
        },
        {
          kind: "timeseries",
          title: "Time waited for a connection",
          description: "It is part of what a caller waits, and not of the time of the command.",
          unit: "s",
          queries: quantiles("fanfare_database_checkout_duration_seconds", [0.95, 0.99]),
          runbooks: ["FanfareDatabasePoolExhausted"],
        },
        {
          kind: "timeseries",
          title: "Failures",
          description:
            "'checkout' no connection was to be had, 'pool_cleared' one broke and all were given up, 'heartbeat' a server did not answer.",
          queries: [rateBy("fanfare_database_failures_total", "kind")],
          runbooks: ["FanfareDatabaseFailing"],
        },
        {
          kind: "timeseries",
          title: "Embedded database",
          description: "Part of the memory that its documents and indexes may take. Nothing with MongoDB.",
          unit: "percentunit",
          min: 0,
          max: 1,
          queries: [
            {
              expr: "fanfare_database_data_bytes{S} / fanfare_database_data_max_bytes{S}",
              legend: "{{instance}}",
            },
          ],
          steps: [
            { from: 0.8, color: "orange" },
            { from: 0.95, color: "red" },
          ],
          runbooks: ["FanfareStorageNearLimit"],
        },
        {
          kind: "timeseries",
          title: "Storage full",
          description: "Calls that were refused because nothing more fits, in a second.",
          queries: [rate("fanfare_requests_total", "refused", 'outcome="STORAGE_FULL"')],
          runbooks: ["FanfareStorageFull"],
        },
        {
          kind: "text",
          title: "",
          width: 8,
          description:
            "What MongoDB itself does (locks, cache, replication, disk) is told by its own exporter, such as `percona/mongodb_exporter`, whose dashboards go beside these.",
        },
      ],
    },
  ],
};
