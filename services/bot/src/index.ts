export { createBotService } from "./bot.service.ts";
