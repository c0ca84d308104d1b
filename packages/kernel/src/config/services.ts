import { SERVICES, type ServiceName } from "@fanfare/contract";

/** In `SERVICES`, for everything but the gateway, so that a list need not change when a version adds a service. */
const ALL_WORKERS = "workers";
export const SERVICE_CHOICES = [...SERVICES, ALL_WORKERS] as const;

/** The services that one word of `SERVICES` stands for. */
export function servicesNamed(choice: (typeof SERVICE_CHOICES)[number]): readonly ServiceName[] {
  return choice === ALL_WORKERS ? SERVICES.filter((name) => name !== "gateway") : [choice];
}

/** Was a service of its own: a list that names it beside the service that it is part of now still works. */
export const FORMER_SERVICES: Readonly<Record<string, ServiceName>> = { friend: "user" };

/** Whether the process hosts a service that stores something. */
export function needsDatabase({ services }: { services: readonly ServiceName[] }): boolean {
  return services.some((name) => name !== "gateway");
}
