import type { ChannelState } from "@fanfare/contract";
import { type ReactNode, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChannelMessages } from "../../../data/channel-messages.ts";
import { errorText } from "../../../shared/error-text.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { useOpenProfile } from "../../members/use-open-profile.ts";
import { MessageDialogs } from "../item/message-dialogs.tsx";
import { MentionsProvider } from "../item/mentions.tsx";
import { Announcer } from "./announcer.tsx";
import { Loading } from "./loading.tsx";
import { MessageContext, type MessageDialog, type OnUser } from "./message-context.ts";
import { MessageScroller } from "./message-scroller.tsx";
import { useMessageContextValue } from "./use-message-context.ts";

export interface MessageListProps {
  channel: ChannelState;
  /** What the channel is called here. */
  title: string;
  /** Above the first message, at most 176 px high; by default what the channel is called and for. */
  beginning?: ReactNode;
  /** A message to jump to; `onJumped` is called when that is under way. */
  jumpToId?: string | undefined;
  onJumped?: () => void;
  /** Esc on a message: puts the focus to where one writes. */
  onLeave?: () => void;
  /** Where a name was clicked on; by default the user's card. Stays the same function. */
  onUser?: OnUser;
}

/** The messages of a channel, a direct channel or a thread. Give it the channel's id as its key. */
export function MessageList(props: MessageListProps) {
  const { channel } = props;
  const openProfile = useOpenProfile(channel.groupId);
  const onUser = props.onUser ?? openProfile;
  const { t } = useTranslation("messages");
  const messages = useChannelMessages(channel.id);
  const { view, snapshot, error, retry } = messages;
  const [dialog, setDialog] = useState<MessageDialog | null>(null);
  const [reactingId, setReactingId] = useState<string | null>(null);
  /** A message that was asked for within the list. */
  const [wanted, setWanted] = useState<{ messageId: string } | null>(null);
  const jumpTo = useCallback((messageId: string) => setWanted({ messageId }), []);
  const context = useMessageContextValue({
    channel,
    view,
    jumpTo,
    ask: setDialog,
    setReacting: setReactingId,
    onUser,
  });

  if (snapshot.status === "gone") return <EmptyState title={t("gone.title")} text={t("gone.text")} />;
  if (snapshot.status === "loading") {
    if (error === null) return <Loading />;
    return (
      <div className="m-auto w-full max-w-md p-4">
        <ErrorNote text={errorText(error)} onRetry={retry} />
      </div>
    );
  }
  return (
    <MessageContext value={context}>
      <MentionsProvider groupId={channel.groupId} onUser={onUser}>
        <MessageScroller {...props} messages={messages} wanted={wanted} reactingId={reactingId} />
        <MessageDialogs dialog={dialog} onClose={() => setDialog(null)} />
        <Announcer messages={snapshot.messages} ownId={context.ownId} />
      </MentionsProvider>
    </MessageContext>
  );
}
