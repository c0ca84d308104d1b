/**
 * Milliseconds on the host's monotonic clock, as a double (resolution better than a microsecond).
 * The origin is the same in every thread and process of the host, unlike `performance.now()`, whose
 * origin is each thread's start. Source: libuv `uv_hrtime`, CLOCK_MONOTONIC on Linux.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
