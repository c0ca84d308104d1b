export * from "./markdown.ts";
export * from "./mrkdwn.ts";
export * from "./card.ts";
export { fromSlackMessage, slackAttachments, slackMessage, withAttachments } from "./slack.ts";
