import { SERVICES, type ServiceName } from "@fanfare/contract";

/** In `SERVICES`: everything except the gateway, so that the setting need not change when a release adds a service. */
const ALL_WORKERS = "workers";
export const SERVICE_CHOICES = [...SERVICES, ALL_WORKERS] as const;

/** Expands one item of `SERVICES`. */
export function servicesNamed(choice: (typeof SERVICE_CHOICES)[number]): readonly ServiceName[] {
  return choice === ALL_WORKERS ? SERVICES.filter((name) => name !== "gateway") : [choice];
}

/** Former services that are now part of another one; still accepted next to it. */
export const FORMER_SERVICES: Readonly<Record<string, ServiceName>> = { friend: "user" };

/** Whether the process hosts a service with a database. */
export function needsDatabase({ services }: { services: readonly ServiceName[] }): boolean {
  return services.some((name) => name !== "gateway");
}
