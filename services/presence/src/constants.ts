export const TIMES = {
  /** Changes are published after this delay, with the latest status of the user. */
  publishDelayMs: 1000,
  /** A gateway that has not reported for this long is considered dead. It reports every second. */
  gatewayTimeoutMs: 5000,
  /** How long late reports of a gateway that was considered dead are rejected. */
  deadGatewayTtlMs: 60_000,
  /** A worker that takes longer than this to publish its claimed changes is considered dead, and another one publishes them. */
  claimMs: 5000,
  /** After a longer pause than this, gateways get time to report before they are considered dead. */
  sweepGapMs: 3000,
};

/** How often a worker looks for due changes and silent gateways. */
export const PUBLISH_INTERVAL_MS = 250;
export const SWEEP_INTERVAL_MS = 1000;
/** Publications per second and worker; further ones are delayed, and repeated changes of a user count once. */
export const MAX_PUBLICATIONS_PER_SECOND = 5000;
/** Users read, forgotten or published at a time, so that other work isn't blocked for long. */
export const CHUNK_SIZE = 500;

/** Maximum number of typing events per second and channel that a worker publishes. */
export const MAX_TYPING_PER_CHANNEL_PER_SECOND = 3;
