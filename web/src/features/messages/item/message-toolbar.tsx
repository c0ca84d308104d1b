import type { Message } from "@fanfare/contract";
import { Ellipsis, MessageSquareText, Pencil, Reply } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { useMessageContext } from "../list/message-context.ts";
import { ReactionPicker } from "./reaction-picker.tsx";
import { useMessageActions, useMessageMenu } from "./use-message-actions.ts";

interface MessageToolbarProps {
  message: Message;
  /** Whether emoji are offered. */
  isReacting: boolean;
}

/** What is done most with the message under the pointer, and a menu with the rest. */
export function MessageToolbar({ message, isReacting }: MessageToolbarProps) {
  const { t } = useTranslation("messages");
  const { react, reply, edit, thread } = useMessageActions()(message);
  const { setReacting } = useMessageContext();
  const items = useMessageMenu()(message);
  return (
    <div
      role="toolbar"
      aria-label={t("action.toolbar")}
      className="absolute -top-4 right-3 z-1 flex rounded-md border border-line bg-raised p-0.5 shadow-raised"
    >
      {react && (
        <ReactionPicker
          message={message}
          open={isReacting}
          onOpenChange={(isOpen) => setReacting(isOpen ? message.id : null)}
        />
      )}
      {reply && <IconButton icon={Reply} size="sm" label={t("action.reply")} onClick={reply} />}
      {edit && <IconButton icon={Pencil} size="sm" label={t("action.edit")} onClick={edit} />}
      {!edit && thread && (
        <IconButton icon={MessageSquareText} size="sm" label={t("action.thread")} onClick={thread} />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} size="sm" label={t("action.more")} />} items={items} />
    </div>
  );
}
