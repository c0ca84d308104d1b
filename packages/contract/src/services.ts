/** What a process can host. */
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
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** A gateway that reaches none of one of these cannot serve anyone. */
export const ESSENTIAL_SERVICES: readonly ServiceName[] = ["user", "group", "message"];
