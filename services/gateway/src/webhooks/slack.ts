import { fromSlackMessage, slackMessage, text, withEmoji } from "@fanfare/markup";
import { invalid } from "@fanfare/kernel";
import { type Convert, read } from "./webhook-message.ts";

const slack = slackMessage.extend({ username: text, icon_url: text, icon_emoji: text });

/** Messages of incoming webhooks of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const fromSlack: Convert = (payload) => {
  const message = read(slack, payload);
  const converted = fromSlackMessage(message);
  if (converted.text === "") throw noText();
  return { ...converted, ...senderOf(message) };
};

export const noText = () => invalid("text", "is missing or empty");

/** The emoji of a sender without a picture stands before the name. */
export function senderOf(message: { username: string; icon_url: string; icon_emoji: string }) {
  const emoji = withEmoji(message.icon_emoji);
  const isKnown = emoji !== "" && emoji !== message.icon_emoji && message.icon_url === "";
  return {
    username: isKnown && message.username !== "" ? `${emoji} ${message.username}` : message.username,
    avatarUrl: message.icon_url,
  };
}
