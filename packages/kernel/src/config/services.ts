const SERVICES = [
  "gateway",
  "user",
  "group",
  "message",
  "presence",
  "search",
  "bot",
  "preview",
  "admin",
  "friend",
  "file",
  "inbox",
] as const;
export type ServiceName = (typeof SERVICES)[number];

export const ALL_SERVICES: readonly ServiceName[] = SERVICES;
/** Without one of these nobody can be served. */
export const ESSENTIAL_SERVICES: readonly ServiceName[] = ["user", "group", "message"];

/** In `SERVICES`, for everything but the gateway: so that nobody has to name what a new version adds. */
const ALL_WORKERS = "workers";
export const SERVICE_CHOICES = [...SERVICES, ALL_WORKERS] as const;

/** The services that one word of `SERVICES` stands for. */
export function servicesNamed(choice: (typeof SERVICE_CHOICES)[number]): readonly ServiceName[] {
  return choice === ALL_WORKERS ? SERVICES.filter((name) => name !== "gateway") : [choice];
}

/** Whether the process hosts a service that stores something. */
export function needsDatabase({ services }: { services: readonly ServiceName[] }): boolean {
  return services.some((name) => name !== "gateway");
}
