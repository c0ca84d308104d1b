import type { Board } from "../dashboard.ts";
import { PERCENT, heatmap, plot, table, text } from "../panel.ts";
import { buckets, quantiles, rate, rateBy } from "../queries.ts";

export const mongodb: Board = {
  name: "mongodb",
  title: "MongoDB",
  description:
    "The database as the processes see it; the embedded one speaks the same protocol and is seen the same way.",
  sections: {
    Commands: [
      plot(
        "Commands",
        "By process, in a second.",
        rateBy("fanfare_database_command_duration_seconds_count", "instance"),
        { unit: "ops", stacked: true },
      ),
      plot(
        "Time of a command",
        "The way to the database and its work. It includes the journal of writes.",
        quantiles("fanfare_database_command_duration_seconds", [0.5, 0.95, 0.99]),
        { unit: "s", steps: { red: 0.5 }, runbooks: ["FanfareDatabaseSlow"] },
      ),
      heatmap(
        "Commands by time",
        "How many took how long.",
        buckets("fanfare_database_command_duration_seconds"),
      ),
      plot(
        "Mean time of a command by process",
        "One process alone: its network. All: the database.",
        "sum by (instance) (rate(fanfare_database_command_duration_seconds_sum{S}[$__rate_interval])) / sum by (instance) (rate(fanfare_database_command_duration_seconds_count{S}[$__rate_interval]))",
        { unit: "s" },
      ),
      plot(
        "Time to write messages",
        "The writes that people wait for.",
        quantiles("fanfare_message_commit_seconds"),
        { unit: "s", runbooks: ["FanfareMessagesSlow"] },
      ),
      table(
        "Where it is stored",
        "embedded: in a process beside this one, in DATA_DIR. mongodb: at MONGO_URL.",
        'fanfare_build_info{S,engine!="none"}',
      ),
    ],
    Connections: [
      plot(
        "Connections in use",
        "Part of what the pool of each process has.",
        "fanfare_database_connections_in_use{S} / fanfare_database_connections_max{S}",
        { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareDatabasePoolExhausted"] },
      ),
      plot(
        "Commands that wait for a connection",
        "More than a moment's handful: the pool is too small, or the database too slow.",
        "fanfare_database_commands_waiting{S}",
        { runbooks: ["FanfareDatabasePoolExhausted"] },
      ),
      plot(
        "Time waited for a connection",
        "It is part of what a caller waits, and not of the time of the command.",
        quantiles("fanfare_database_checkout_duration_seconds", [0.95, 0.99]),
        { unit: "s", runbooks: ["FanfareDatabasePoolExhausted"] },
      ),
      plot(
        "Failures",
        "'checkout' no connection was to be had, 'pool_cleared' one broke and all were given up, 'heartbeat' a server did not answer.",
        rateBy("fanfare_database_failures_total", "kind"),
        { runbooks: ["FanfareDatabaseFailing"] },
      ),
      plot(
        "Embedded database",
        "Part of the memory that its documents and indexes may take. Nothing with MongoDB.",
        "fanfare_database_data_bytes{S} / fanfare_database_data_max_bytes{S}",
        { ...PERCENT, steps: { orange: 0.8, red: 0.95 }, runbooks: ["FanfareStorageNearLimit"] },
      ),
      plot(
        "Storage full",
        "Calls that were refused because nothing more fits, in a second.",
        rate("fanfare_requests_total", "refused", 'outcome="STORAGE_FULL"'),
        { runbooks: ["FanfareStorageFull"] },
      ),
      text(
        "For the internals of MongoDB (locks, cache, replication, disk), use an exporter such as `percona/mongodb_exporter` with its own dashboards.",
      ),
    ],
  },
};
