import type { Channel } from "@fanfare/contract";
import { ArrowUpLeft } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useMessage } from "../../data/messages.ts";
import { placePath } from "../../routes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { MentionsProvider } from "../messages/item/mentions.tsx";
import { MessageCard } from "../messages/item/message-card.tsx";

/** The message that a thread is about. */
export function RootMessage({ parent, thread }: { parent: Channel; thread: Channel }) {
  if (thread.rootMessageId === null) return null;
  return <Root parent={parent} thread={thread} messageId={thread.rootMessageId} />;
}

function Root({ parent, thread, messageId }: { parent: Channel; thread: Channel; messageId: string }) {
  const { t } = useTranslation("threads");
  const [, navigate] = useLocation();
  const { data: message, isError } = useMessage(parent.id, messageId);
  const jump = () => navigate(placePath(parent.groupId, parent.id, { message: messageId }));
  const isGone = isError || (message !== undefined && message.deletedAt !== null);
  if (isGone)
    return <p className="border-b border-line px-4 py-2 text-sm text-muted italic">{t("rootGone")}</p>;
  if (message === undefined) return null;
  return (
    <div className="max-h-[30%] shrink-0 overflow-y-auto border-b border-line p-2">
      <MentionsProvider groupId={thread.groupId}>
        <MessageCard
          message={message}
          actions={<IconButton icon={ArrowUpLeft} size="sm" label={t("showRoot")} onClick={jump} />}
        />
      </MentionsProvider>
    </div>
  );
}
