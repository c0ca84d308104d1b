export { createPresenceService } from "./presence.service.ts";
