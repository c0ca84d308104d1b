import type { Channel, Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { rolesOf } from "@fanfare/client/store";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useChannelState, useGroup, useIsDenied } from "../../../data/groups.ts";
import { placePath } from "../../../routes.ts";
import { ConversationPicker } from "../../../search/quick-switcher/quick-switcher.tsx";
import { HAS_KEYBOARD } from "../../../ui/has-keyboard.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { cx } from "../../../ui/cx.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorNote, showToast } from "../../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../../ui/form.tsx";
import { setSelected } from "../conversation.ts";
import { useAuthor } from "../item/use-author.ts";
import { MessagePreview } from "../item/message-preview.tsx";
import { sendNow } from "../outbox.ts";
import { quoteOf } from "./quote.ts";
import type { Conversation } from "../../../search/quick-switcher/use-destinations.ts";

interface ForwardDialogProps {
  /** The channel or thread of the messages. */
  channel: Channel;
  messages: readonly Message[];
  onClose: () => void;
}

/** Sends links to messages, or their texts, to another conversation. */
export function ForwardDialog(props: ForwardDialogProps) {
  const { t } = useTranslation("messages");
  const [to, setTo] = useState<Conversation | null>(null);
  return (
    <Dialog onClose={props.onClose} title={t("forward.title", { count: props.messages.length })}>
      {to === null ? (
        <div className="flex max-h-[50dvh] flex-col">
          <ConversationPicker
            label={t("forward.to")}
            placeholder={t("new-message:placeholder")}
            onPick={setTo}
          />
        </div>
      ) : (
        <ForwardForm {...props} to={to} onChange={() => setTo(null)} />
      )}
    </Dialog>
  );
}

interface ForwardFormProps extends ForwardDialogProps {
  to: Conversation;
  /** Chooses another conversation. */
  onChange: () => void;
}

function ForwardForm({ channel, messages, onClose, to, onChange }: ForwardFormProps) {
  const { t } = useTranslation("messages");
  const forward = useForward(to);
  const quote = useQuote(channel);
  const linkTo = ({ id }: Message) =>
    location.origin + placePath(channel.groupId, channel.id, { message: id });
  const contentOf = ({ comment, quotes }: { comment: string; quotes: boolean }) =>
    [comment.trim(), ...messages.map((one) => (quotes ? quote(one, linkTo(one)) : linkTo(one)))]
      .filter((part) => part !== "")
      .join("\n");
  const form = useForm({
    initial: { comment: "", quotes: false },
    submit: (values) => forward(contentOf(values)),
    onDone() {
      setSelected(channel.id, null);
      onClose();
    },
  });
  const tooMany = contentOf(form.values).length - LIMITS.messageMaxChars;
  const isReadOnly = useIsDenied({ id: to.key, groupId: groupOf(to), parentId: null }, "sendMessages");
  const audience = useAudience(channel, to);
  return (
    <Form form={form} action={t("forward.action")} disabled={isReadOnly || tooMany > 0}>
      <div className="flex items-center gap-2">
        <p className="min-w-0 flex-1 truncate">
          {t("forward.to")} <strong className="font-semibold">{nameOf(to)}</strong>
          {to.kind === "channel" && <span className="text-muted"> · {to.detail}</span>}
        </p>
        <Button size="sm" onClick={onChange}>
          {t("forward.change")}
        </Button>
      </div>
      <ErrorNote text={isReadOnly ? t("new-message:readOnly", { name: to.title }) : null} />
      <TextArea
        label={t("forward.comment")}
        autoFocus={HAS_KEYBOARD}
        rows={2}
        {...form.field("comment")}
        error={tooMany > 0 ? t("composer:tooLong", { count: tooMany }) : form.field("comment").error}
      />
      <ul className="grid gap-2 border-s-3 border-line-strong ps-3">
        {messages.map((message) => (
          <ForwardedMessage key={message.id} message={message} />
        ))}
      </ul>
      <div className={cx("grid gap-2.5", audience !== null && "rounded-md bg-accent-soft p-3")}>
        {audience !== null && <p>{audience}</p>}
        <Checkbox
          label={t("forward.quote")}
          checked={form.values.quotes}
          onChange={(quotes) => form.set("quotes", quotes)}
        />
      </div>
    </Form>
  );
}

function ForwardedMessage({ message }: { message: Message }) {
  const { name } = useAuthor(message);
  return (
    <li className="line-clamp-2 text-sm wrap-anywhere">
      <span className="font-semibold">{name}</span> <MessagePreview message={message} />
    </li>
  );
}

const groupOf = (to: Conversation): string | null => (to.kind === "channel" ? to.groupId : null);
const nameOf = (to: Conversation): string => (to.kind === "channel" ? `#${to.title}` : to.title);

/** Why some people in the conversation may not see the linked messages; null if all of them can. */
function useAudience(channel: Channel, to: Conversation): string | null {
  const { t } = useTranslation("messages");
  const { data: place = channel } = useChannelState(channel.parentId ?? channel.id);
  const group = useGroup(place.groupId ?? "");
  if (to.key === place.id) return null;
  if (place.groupId === null) return t("forward.audience.direct");
  if (place.private) return t("forward.audience.private");
  return groupOf(to) === place.groupId ? null : t("forward.audience.group", { group: group?.name ?? "" });
}

function useQuote({ groupId }: Channel): (message: Message, link: string) => string {
  const { t } = useTranslation("messages");
  const { store } = useServerCache();
  return (message, link) => {
    const { users, channels } = store.state;
    const user = (id: string) =>
      users[id]?.deleted === true ? t("members:deleted") : (users[id]?.nickname ?? "…");
    const role = (id: string) =>
      rolesOf(store.state, groupId ?? "")?.find((one) => one.id === id)?.name ?? t("markdown.unknownRole");
    const channel = (id: string) => channels[id]?.name ?? t("markdown.unknownChannel");
    return quoteOf(message, link, {
      author: message.as?.name ?? user(message.authorId),
      user,
      role,
      channel,
    });
  };
}

/** Sends a text to the conversation, and offers to go there. */
function useForward(to: Conversation): (content: string) => Promise<void> {
  const { t } = useTranslation("messages");
  const { client } = useServerCache();
  const call = useCall();
  const [, navigate] = useLocation();
  return async (content) => {
    const channelId =
      to.kind === "person" ? (await call("channel.openDirect", { userId: to.userId })).channel.id : to.key;
    const isSent = await sendNow(client, channelId, content);
    const name = nameOf(to);
    showToast({
      text: isSent ? t("forward.sent", { name }) : t("forward.waiting", { name }),
      tone: isSent ? "good" : "info",
      action: { label: t("forward.goTo"), onClick: () => navigate(placePath(groupOf(to), channelId)) },
    });
  };
}
