import { maybe, paragraphs, slackAttachments, text, withAttachments, withEmoji } from "@fanfare/markup";
import { z } from "zod";
import { noText, senderOf } from "./slack.ts";
import { type Convert, read } from "./webhook-message.ts";

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
export const fromMattermost: Convert = (payload) => {
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
  if (converted.text === "") throw noText();
  return { ...converted, ...senderOf(message) };
};

/** `@channel` needs the permission to mention everyone. */
const markdown = (shown: string): string => withEmoji(shown).replace(MENTIONS, "@everyone");
