import type { Channel, Message } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { ArrowUpLeft, Files, Pin, PinOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useChannelPermissions } from "../../../data/groups.ts";
import { usePins } from "../../../data/channel-messages.ts";
import { placePath } from "../../../routes.ts";
import { openPanel } from "../../../state/panels.ts";
import { useAction } from "../../../shared/use-action.ts";
import { EmptyState, ErrorNote, Pending } from "../../../ui/feedback.tsx";
import { IconButton } from "../../../ui/button.tsx";
import { useOpenProfile } from "../../../people/members/people-store.tsx";
import { SidePanel } from "../../../app/shell/side-panel.tsx";
import { MentionsProvider, MessageCard } from "../item/message-card.tsx";
import { useCall } from "../../../data/call.ts";

export function PinsPanel({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const pinned = usePins(channel.id);
  const { data: pins } = pinned;
  const permissions = useChannelPermissions(channel);
  const onUser = useOpenProfile(channel.groupId);
  const canUnpin = channel.groupId === null || hasPermission(permissions, "manageMessages");
  return (
    <SidePanel
      title={t("pins.title")}
      actions={<IconButton icon={Files} label={t("files.title")} onClick={() => openPanel("files")} />}
      onClose={onClose}
    >
      <MentionsProvider groupId={channel.groupId} onUser={onUser}>
        <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3">
          <Pending of={pinned} />
          {pins?.length === 0 && <EmptyState icon={Pin} title={t("pins.empty")} text={t("pins.emptyText")} />}
          {pins?.map((message) => (
            <PinnedMessage key={message.id} message={message} channel={channel} canUnpin={canUnpin} />
          ))}
        </div>
      </MentionsProvider>
    </SidePanel>
  );
}

interface PinnedMessageProps {
  message: Message;
  channel: Channel;
  canUnpin: boolean;
}

function PinnedMessage({ message, channel, canUnpin }: PinnedMessageProps) {
  const { t } = useTranslation("messages");
  const [, navigate] = useLocation();
  const call = useCall();
  const { busy, error, run } = useAction();
  const { id: messageId, channelId } = message;
  const jump = () => navigate(placePath(channel.groupId, channelId, { message: messageId }));
  return (
    <MessageCard
      message={message}
      actions={
        <>
          <IconButton icon={ArrowUpLeft} size="sm" label={t("pins.jump")} onClick={jump} />
          {canUnpin && (
            <IconButton
              icon={PinOff}
              size="sm"
              label={t("action.unpin")}
              disabled={busy}
              onClick={() => void run(() => call("message.unpin", { channelId, messageId }))}
            />
          )}
        </>
      }
    >
      <ErrorNote text={error} />
    </MessageCard>
  );
}
