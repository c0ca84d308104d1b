export { createMessageService } from "./message.service.ts";
