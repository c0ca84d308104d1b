import type { ServerUsage } from "../targets/target.ts";
import type { RegistrationResult } from "../targets/registration.ts";

/** The measurement of `bench register`. */
export interface RegisterMeasurement {
  target: { name: "fanfare"; url: string; isThrowaway: boolean };
  users: number;
  /** null: interrupted before the last was registered. */
  registration: RegistrationResult | null;
  server: { before: ServerUsage | null; after: ServerUsage | null };
  /** Users registered and joined per second of server CPU. */
  perServerCpuSecond: number | null;
  /** The file with the tokens; null: none. */
  file: string | null;
  errors: { phase: string; code: string; count: number }[];
}

export const REGISTER_METRICS = ["perSecond", "p99", "p100", "perServerCpuSecond"] as const;

export function registerMetrics({
  registration,
  perServerCpuSecond,
}: Pick<RegisterMeasurement, "registration" | "perServerCpuSecond">): Record<string, number | null> {
  return {
    perSecond: registration?.perSecond ?? null,
    p99: registration?.userMs?.p99 ?? null,
    p100: registration?.userMs?.p100 ?? null,
    perServerCpuSecond,
  };
}
