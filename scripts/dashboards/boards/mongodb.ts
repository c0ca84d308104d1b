import type { Board } from "../dashboard.ts";
import { PERCENT, heatmap, plot, table, text } from "../panel.ts";
import { buckets, quantiles, rate, rateBy } from "../queries.ts";

export const mongodb: Board = {
  name: "mongodb",
  title: "MongoDB",
  description: "The database as measured by Fanfare. These metrics also exist for the embedded database.",
  sections: {
    Commands: [
      plot(
        "Commands",
        "By process, per second.",
        rateBy("fanfare_database_command_duration_seconds_count", "instance"),
        { unit: "ops", stacked: true },
      ),
      plot(
        "Command duration",
        "Including the network and, for writes, the sync to disk.",
        quantiles("fanfare_database_command_duration_seconds", [0.5, 0.95, 0.99]),
        { unit: "s", steps: { red: 0.5 }, runbooks: ["FanfareDatabaseSlow"] },
      ),
      heatmap(
        "Command duration, distribution",
        "Number of commands by duration.",
        buckets("fanfare_database_command_duration_seconds"),
      ),
      plot(
        "Mean command duration by process",
        "If one process is slow, it is its network. If all are, it is the database.",
        "sum by (instance) (rate(fanfare_database_command_duration_seconds_sum{S}[$__rate_interval])) / sum by (instance) (rate(fanfare_database_command_duration_seconds_count{S}[$__rate_interval]))",
        { unit: "s" },
      ),
      plot(
        "Commit duration of messages",
        "The writes that users wait for.",
        quantiles("fanfare_message_commit_seconds"),
        { unit: "s", runbooks: ["FanfareMessagesSlow"] },
      ),
      table(
        "Kind of database",
        "embedded: in DATA_DIR. mongodb: at MONGO_URL.",
        'fanfare_build_info{S,engine!="none"}',
      ),
    ],
    Connections: [
      plot(
        "Connections in use",
        "As a fraction of each process's pool.",
        "fanfare_database_connections_in_use{S} / fanfare_database_connections_max{S}",
        { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareDatabasePoolExhausted"] },
      ),
      plot(
        "Commands waiting for a connection",
        "If commands keep waiting, the pool is too small or the database too slow.",
        "fanfare_database_commands_waiting{S}",
        { runbooks: ["FanfareDatabasePoolExhausted"] },
      ),
      plot(
        "Wait for a connection",
        "Not included in the command duration.",
        quantiles("fanfare_database_checkout_duration_seconds", [0.95, 0.99]),
        { unit: "s", runbooks: ["FanfareDatabasePoolExhausted"] },
      ),
      plot(
        "Failures",
        "'checkout': no connection available. 'pool_cleared': one connection failed and all were dropped. 'heartbeat': a server didn't answer.",
        rateBy("fanfare_database_failures_total", "kind"),
        { runbooks: ["FanfareDatabaseFailing"] },
      ),
      plot(
        "Embedded database",
        "Size, as a fraction of the space available to it. No data with MongoDB.",
        "fanfare_database_data_bytes{S} / fanfare_database_data_max_bytes{S}",
        { ...PERCENT, steps: { orange: 0.8, red: 0.95 }, runbooks: ["FanfareStorageNearLimit"] },
      ),
      plot(
        "Storage full",
        "Calls refused with STORAGE_FULL, per second.",
        rate("fanfare_requests_total", "refused", 'outcome="STORAGE_FULL"'),
        { runbooks: ["FanfareStorageFull"] },
      ),
      text(
        "For the internals of MongoDB (locks, cache, replication, disk), use an exporter such as `percona/mongodb_exporter` with its own dashboards.",
      ),
    ],
  },
};
