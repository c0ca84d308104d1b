import { invalid } from "@fanfare/kernel";
import {
  fromSlackMessage,
  maybe,
  paragraphs,
  slackAttachments,
  slackMessage,
  text,
  withAttachments,
  withEmoji,
} from "@fanfare/markup";
import { z } from "zod";
import { type Convert, read } from "./webhook-message.ts";

const slack = slackMessage.extend({ username: text, icon_url: text, icon_emoji: text });

/** Messages of incoming webhooks of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const fromSlack: Convert = (payload, { hasFiles }) => {
  const message = read(slack, payload);
  const converted = fromSlackMessage(message);
  if (converted.text === "" && !hasFiles) throw noText();
  return { ...converted, ...senderOf(message) };
};

const noText = () => invalid("text", "is missing or empty");

/** The emoji of a sender without a picture stands before the name. */
function senderOf(message: { username: string; icon_url: string; icon_emoji: string }) {
  const emoji = withEmoji(message.icon_emoji);
  const isKnown = emoji !== "" && emoji !== message.icon_emoji && message.icon_url === "";
  return {
    username: isKnown && message.username !== "" ? `${emoji} ${message.username}` : message.username,
    avatarUrl: message.icon_url,
  };
}

const MENTIONS = /(?<![\w@.])@(?:all|channel)(?![\w@])/g;

const mattermost = z.object({
  text,
  username: text,
  icon_url: text,
  icon_emoji: text,
  attachments: slackAttachments,
  props: maybe(z.object({ card: text, attachments: slackAttachments })),
});

/** Messages of incoming webhooks of Mattermost, in markdown: https://developers.mattermost.com/integrate/webhooks/incoming/ */
export const fromMattermost: Convert = (payload, { hasFiles }) => {
  const message = read(mattermost, payload);
  const { props } = message;
  const items = [...message.attachments.items, ...(props?.attachments.items ?? [])];
  const { text: shown, rich } = withAttachments(markdown(message.text), items, markdown);
  // What Mattermost shows beside the message.
  const more = markdown(props?.card ?? "");
  const converted = {
    text: paragraphs(shown, more),
    rich: rich ? { ...rich, text: paragraphs(rich.text, more) } : null,
  };
  if (converted.text === "" && !hasFiles) throw noText();
  return { ...converted, ...senderOf(message) };
};

/** `@channel` needs the permission to mention everyone. */
const markdown = (shown: string): string => withEmoji(shown).replace(MENTIONS, "@everyone");
