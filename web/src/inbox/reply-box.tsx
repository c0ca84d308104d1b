import type { ChannelState, Message } from "@fanfare/contract";
import { Check, CircleAlert } from "lucide-react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useConversation } from "../channel/messages/conversation.ts";
import { Composer } from "../composer/composer.tsx";
import { useServerCache } from "../data/data-context.ts";
import { useLive } from "../data/frames.ts";
import { useChannelView } from "../data/open-channels.ts";
import { showChannel } from "../data/shown-channels.ts";
import { useDirect } from "../people/directs/use-direct.tsx";
import { Spinner } from "../ui/feedback.tsx";

interface ReplyBoxProps {
  channel: ChannelState;
  /** Must stay the same function. */
  onSent: (nonce: string) => void;
}

/** The composer of the message's channel, below the message in a list. */
export function ReplyBox({ channel, onSent }: ReplyBoxProps) {
  const { client } = useServerCache();
  const { id: channelId } = channel;
  const view = useChannelView(channelId);
  const direct = useDirect(channel);
  useEffect(() => showChannel(client, view), [client, view]);
  return (
    <div className="ms-0.75 -me-3 pt-1 md:-ms-1.25 md:-me-5">
      <Composer
        key={channelId}
        channel={channel}
        title={channel.groupId === null ? direct.title : `#${channel.name}`}
        canEditLast={false}
        onSent={onSent}
      />
    </div>
  );
}

interface ReplyStateProps {
  nonce: string;
  /** The message that was replied to. */
  message: Message;
  /** To the message. */
  path: string | null;
}

/** Whether a reply was sent. Once it is, what it replies to is marked as read. */
export function ReplyState({ nonce, message: { channelId, seq }, path }: ReplyStateProps) {
  const { t } = useTranslation("inbox");
  const line = useRef<HTMLParagraphElement>(null);
  const view = useChannelView(channelId);
  const isPending = useLive(view, () => view.snapshot.pending.some((one) => one.nonce === nonce));
  const isFailed = useConversation(channelId).unsent.some(({ message }) => message.nonce === nonce);
  const isSent = !isPending && !isFailed;
  useLayoutEffect(() => {
    // After the composer. On the message, letters would run actions, and the user may still be typing.
    if (document.activeElement === document.body) line.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    // The view repeats it after a reconnect.
    if (isSent) view.markRead(seq).catch(() => undefined);
  }, [isSent, view, seq]);
  const Icon = isFailed ? CircleAlert : Check;
  return (
    <p
      ref={line}
      role="status"
      tabIndex={-1}
      className="flex min-h-6 items-center gap-1.5 ps-3.75 text-sm text-muted"
    >
      {isPending ? (
        <Spinner size={14} />
      ) : (
        <Icon size={14} aria-hidden className={isFailed ? "text-danger-text" : "text-good"} />
      )}
      {isPending ? t("reply.sending") : isFailed ? t("scheduled.failed") : t("reply.sent")}
      {path !== null && (
        <Link href={path} className="font-medium text-accent-text hover:underline">
          {t("view")}
        </Link>
      )}
    </p>
  );
}
