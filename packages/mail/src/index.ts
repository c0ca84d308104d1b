export { createMailer, type Mailer } from "./mailer.ts";
export type { MailTexts } from "./texts/texts.ts";
