export * from "./emoji.ts";
export * from "./markdown.ts";
export * from "./mrkdwn.ts";
