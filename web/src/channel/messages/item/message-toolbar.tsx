import type { Message } from "@fanfare/contract";
import { Ellipsis, MessageSquareText, Pencil, Reply } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../../ui/button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { useMessageContext } from "../list/use-rows.ts";
import { ReactionPicker } from "./reactions.tsx";
import { useMessageActions } from "./use-message-actions.ts";
import { useMessageMenu } from "./use-message-menu.ts";

/** Of the message that is pointed at or has the focus. */
export function MessageToolbar({ message, isReacting }: { message: Message; isReacting: boolean }) {
  const { t } = useTranslation("messages");
  const { react, reply, edit, thread } = useMessageActions()(message);
  const { setReacting } = useMessageContext();
  const items = useMessageMenu()(message);
  return (
    <div
      role="toolbar"
      aria-label={t("action.toolbar")}
      className="absolute -top-4 end-3 z-1 flex rounded-md border border-line bg-raised p-0.5 shadow-raised"
    >
      {react && (
        <ReactionPicker
          message={message}
          open={isReacting}
          onOpenChange={(isOpen) => setReacting(isOpen ? message.id : null)}
        />
      )}
      {reply && <IconButton icon={Reply} size="sm" label={t("action.reply")} onClick={reply} />}
      {edit && <IconButton icon={Pencil} size="sm" label={t("common:edit")} onClick={edit} />}
      {!edit && thread && (
        <IconButton icon={MessageSquareText} size="sm" label={t("threads:title")} onClick={thread} />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} size="sm" label={t("common:more")} />} items={items} />
    </div>
  );
}
