/**
 * Milliseconds on the host's monotonic clock, as a double (resolution better than a microsecond). All threads
 * and processes of the host have the same origin, unlike with `performance.now()`. Source: libuv `uv_hrtime`,
 * CLOCK_MONOTONIC on Linux.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
