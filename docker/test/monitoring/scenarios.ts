/** Series by name with labels, with values in promtool's notation: one every 30 s for half an hour. */
export type Series = Readonly<Record<string, string>>;

/** `{I}` stands for the labels of a process, `{N}` for the common labels of its cluster. */
export interface Scenario {
  /** The alert must fire, for each of several. */
  sick: Series | readonly Series[];
  /** Similar series for which it must not fire. */
  well: Series;
}

const bucketsBeyond = (histogram: string, bound: string): Series => ({
  [`${histogram}_bucket{I,le="${bound}"}`]: "0+90x60",
  [`${histogram}_bucket{I,le="${Number(bound) * 2.5}"}`]: "0+100x60",
  [`${histogram}_bucket{I,le="+Inf"}`]: "0+100x60",
});
const bucketsWithin = (histogram: string, bound: string): Series => ({
  [`${histogram}_bucket{I,le="${bound}"}`]: "0+100x60",
  [`${histogram}_bucket{I,le="+Inf"}`]: "0+100x60",
});
const slow = (histogram: string, bound: string): Scenario => ({
  sick: bucketsBeyond(histogram, bound),
  well: bucketsWithin(histogram, bound),
});
const BUILD = { "fanfare_build_info{I}": "1x60" };
const MANY_CALLS = { 'fanfare_requests_total{I,action="message.send",outcome="ok"}': "0+100000x60" };

/** By alert. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  FanfareDown: {
    sick: { "up{I}": "1x20 0x40", "fanfare_build_info{I}": "1x20" },
    well: { "up{I}": "1x60", ...BUILD },
  },
  FanfareServiceMissing: {
    sick: { 'fanfare_service_info{I,service="user"}': "1x20" },
    well: { 'fanfare_service_info{I,service="user"}': "1x60" },
  },
  FanfareNotReady: { sick: { "fanfare_ready{I}": "0x60" }, well: { "fanfare_ready{I}": "0x3 1x57" } },
  FanfareRestarting: {
    sick: { "process_start_time_seconds{I}": "100x14 200x14 300x14 400x20", ...BUILD },
    well: { "process_start_time_seconds{I}": "100x30 200x30", ...BUILD },
  },
  FanfareErrors: {
    sick: {
      'fanfare_requests_total{I,action="user.me",outcome="ok"}': "0+100x60",
      'fanfare_requests_total{I,action="user.me",outcome="INTERNAL"}': "0+5x60",
    },
    well: {
      'fanfare_requests_total{I,action="user.me",outcome="ok"}': "0+100x60",
      'fanfare_requests_total{I,action="user.me",outcome="FORBIDDEN"}': "0+50x60",
    },
  },
  FanfareOverloaded: {
    sick: {
      ...MANY_CALLS,
      'fanfare_requests_total{I,action="message.send",outcome="OVERLOADED"}': "0+60x60",
    },
    well: {
      ...MANY_CALLS,
      'fanfare_requests_total{I,action="message.send",outcome="OVERLOADED"}': "0+10x60",
    },
  },
  FanfareRequestsSlow: slow("fanfare_request_seconds", "1"),
  FanfareLoginFailures: {
    sick: {
      'fanfare_requests_total{I,action="user.login",outcome="WRONG_CREDENTIALS"}': "0+60x60",
      'fanfare_requests_total{I,action="user.login",outcome="ok"}': "0+3x60",
    },
    well: {
      'fanfare_requests_total{I,action="user.login",outcome="WRONG_CREDENTIALS"}': "0+60x60",
      'fanfare_requests_total{I,action="user.login",outcome="ok"}': "0+60x60",
    },
  },
  FanfareConnectionsNearLimit: {
    sick: { "fanfare_connections{I}": "90x60", "fanfare_connections_max{I}": "100x60" },
    well: { "fanfare_connections{I}": "80x60", "fanfare_connections_max{I}": "100x60" },
  },
  FanfareSlowSockets: {
    sick: { "fanfare_slow_sockets_total{I}": "0+10x60", "fanfare_connections{I}": "1000x60" },
    well: { "fanfare_slow_sockets_total{I}": "0+10x60", "fanfare_connections{I}": "100000x60" },
  },
  FanfareFanoutSlow: {
    sick: { "fanfare_fanout_max_seconds{I}": "2x60" },
    well: { "fanfare_fanout_max_seconds{I}": "0.1x40 2x4 0.1x16" },
  },
  FanfareMessagesSlow: slow("fanfare_message_commit_seconds", "0.5"),
  FanfareNatsDisconnected: {
    sick: { "fanfare_nats_connected{I}": "0x60" },
    well: { "fanfare_nats_connected{I}": "1x60", "fanfare_nats_reconnects_total{I}": "0x30 1x30" },
  },
  FanfareRedisDisconnected: {
    sick: { "fanfare_redis_connected{I}": "0x60" },
    well: { "fanfare_redis_connected{I}": "1x60", "fanfare_redis_reconnects_total{I}": "0x30 1x30" },
  },
  FanfareBusDropping: {
    sick: { "fanfare_bus_dropped_total{I}": "0x45 10x15" },
    well: { "fanfare_bus_dropped_total{I}": "10x60" },
  },
  FanfareCallsUnanswered: {
    sick: { 'fanfare_calls_unanswered_total{I,action="user.get",reason="timeout"}': "0+30x60" },
    well: { 'fanfare_calls_unanswered_total{I,action="user.get",reason="timeout"}': "0+1x60" },
  },
  FanfareClusterSplit: {
    sick: { 'fanfare_known_nodes{N,instance="a"}': "4x60", 'fanfare_known_nodes{N,instance="b"}': "2x60" },
    well: { 'fanfare_known_nodes{N,instance="a"}': "4x60", 'fanfare_known_nodes{N,instance="b"}': "4x60" },
  },
  FanfareDatabaseFailing: {
    sick: { 'fanfare_database_failures_total{I,kind="checkout"}': "0+1x60" },
    well: { 'fanfare_database_failures_total{I,kind="checkout"}': "3x60" },
  },
  FanfareDatabaseSlow: slow("fanfare_database_command_duration_seconds", "0.5"),
  FanfareDatabasePoolExhausted: {
    sick: { "fanfare_database_commands_waiting{I}": "3x60" },
    well: { "fanfare_database_commands_waiting{I}": "0x40 3x2 0x18" },
  },
  FanfareStorageNearLimit: {
    sick: { "fanfare_database_data_bytes{I}": "85x60", "fanfare_database_data_max_bytes{I}": "100x60" },
    well: { "fanfare_database_data_bytes{I}": "75x60", "fanfare_database_data_max_bytes{I}": "100x60" },
  },
  FanfareStorageFull: {
    sick: {
      ...MANY_CALLS,
      'fanfare_requests_total{I,action="message.send",outcome="STORAGE_FULL"}': "0x45 3x15",
    },
    well: { ...MANY_CALLS, 'fanfare_requests_total{I,action="message.send",outcome="STORAGE_FULL"}': "3x60" },
  },
  FanfareEventLoopBlocked: {
    sick: { "nodejs_eventloop_lag_p99_seconds{I}": "0.5x60", ...BUILD },
    well: { "nodejs_eventloop_lag_p99_seconds{I}": "0.02x60", ...BUILD },
  },
  FanfareMemoryNearLimit: {
    // First the memory, then the heap.
    sick: {
      "fanfare_memory_used_bytes{I}": "95x40 85x20",
      "fanfare_memory_limit_bytes{I}": "100x60",
      "fanfare_heap_used_ratio{I}": "0.85x40 0.95x20",
    },
    well: {
      "fanfare_memory_used_bytes{I}": "85x60",
      "fanfare_memory_limit_bytes{I}": "100x60",
      "fanfare_heap_used_ratio{I}": "0.85x60",
    },
  },
  FanfareFileDescriptorsNearLimit: {
    sick: { "process_open_fds{I}": "95x60", "process_max_fds{I}": "100x60", ...BUILD },
    // Not a Fanfare process.
    well: { "process_open_fds{I}": "95x60", "process_max_fds{I}": "100x60" },
  },
  FanfareMailFailing: {
    sick: [
      { 'fanfare_mails_total{I,outcome="failed"}': "0x30 1x30" },
      {
        'fanfare_jobs_waiting{I,kind="mail.send"}': "0x5 1x55",
        'fanfare_mails_total{I,outcome="sent"}': "0+9x5 45x55",
      },
    ],
    well: {
      'fanfare_jobs_waiting{I,kind="mail.send"}': "1x60",
      'fanfare_mails_total{I,outcome="failed"}': "1x60",
      'fanfare_mails_total{I,outcome="sent"}': "0+9x60",
    },
  },
  FanfareJobsFailing: {
    sick: [
      { 'fanfare_jobs_overdue_seconds{I,kind="file.sweep"}': "0x10 700x50" },
      { 'fanfare_jobs_waiting{I,kind="user.erase"}': "0x5 1x55" },
    ],
    well: {
      'fanfare_jobs_waiting{I,kind="user.erase"}': "1x20 0 1x39",
      // Of a process that has just started.
      'fanfare_jobs_waiting{I,kind="user.erase",node="new"}': "_x40 1x19",
      'fanfare_jobs_waiting{I,kind="file.sweep"}': "1x60",
      'fanfare_jobs_overdue_seconds{I,kind="file.sweep"}': "300x60",
      'fanfare_jobs_total{I,kind="file.sweep",outcome="dead"}': "2x60",
      'fanfare_jobs_total{I,kind="bot.callback",outcome="dead"}': "0+1x60",
    },
  },
  FanfarePushesDropped: {
    sick: { 'fanfare_pushes_total{I,outcome="dropped"}': "0+5x60" },
    well: {
      'fanfare_pushes_total{I,outcome="dropped"}': "5x60",
      'fanfare_pushes_total{I,outcome="failed"}': "0+1x60",
      'fanfare_pushes_total{I,outcome="sent"}': "0+9x60",
    },
  },
};
