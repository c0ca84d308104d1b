/** The services that a process can host. */
export const SERVICES = [
  "gateway",
  "user",
  "group",
  "message",
  "presence",
  "search",
  "bot",
  "preview",
  "admin",
  "file",
  "inbox",
  "call",
  "plugin",
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** A gateway is not ready unless it can reach each of these. */
export const ESSENTIAL_SERVICES: readonly ServiceName[] = ["user", "group", "message"];
