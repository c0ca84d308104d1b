export { createInboxService } from "./inbox.service.ts";
