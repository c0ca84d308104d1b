export {
  Bot,
  createBot,
  type BotOptions,
  type CommandHandler,
  type MessageHandler,
  type Reply,
} from "./bot.ts";
export { verifyCallback, type CallbackHeaders } from "./verify-callback.ts";
