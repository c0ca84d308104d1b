import { paragraphs, withEmoji } from "@fanfare/markup";
import { z } from "zod";
import { attachments, attachmentsText, noText, senderOf } from "./slack.ts";
import { type Convert, maybe, read, text } from "./webhook-message.ts";

const MENTIONS = /(?<![\w@.])@(?:all|channel)(?![\w@])/g;

const mattermost = z.object({
  text,
  username: text,
  icon_url: text,
  icon_emoji: text,
  attachments,
  props: maybe(z.object({ card: text, attachments })),
});

/** Messages of incoming webhooks of Mattermost, in markdown: https://developers.mattermost.com/integrate/webhooks/incoming/ */
export const fromMattermost: Convert = (payload) => {
  const message = read(mattermost, payload);
  const { props } = message;
  const items = [...message.attachments.items, ...(props?.attachments.items ?? [])];
  const shown = paragraphs(
    markdown(message.text),
    attachmentsText(items, markdown),
    markdown(props?.card ?? ""),
  );
  if (shown === "") throw noText();
  return { text: shown, ...senderOf(message) };
};

/** `@channel` needs the permission to mention everyone. */
const markdown = (shown: string): string => withEmoji(shown).replace(MENTIONS, "@everyone");
