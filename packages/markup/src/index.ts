export * from "./card.ts";
export * from "./emoji.ts";
export * from "./markdown.ts";
export * from "./mrkdwn.ts";
export * from "./payload-fields.ts";
export { fromSlackMessage, slackAttachments, slackMessage, withAttachments } from "./slack.ts";
