import type { Message } from "@fanfare/contract";
import { Forward, Trash2, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { errorText, isErrorOf } from "../../../shared/use-action.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { showToast } from "../../../ui/feedback.tsx";
import { useEscape } from "../../../ui/hooks.ts";
import { MAX_SELECTED, type Selected, setSelected } from "../conversation.ts";
import { MAX_LINKED } from "../item/message-preview.tsx";
import { useMessageActions } from "../item/use-message-actions.ts";
import { useMessageContext } from "./use-rows.ts";

/** The actions on the selected messages. */
export function SelectionBar({ selected, onEnd }: { selected: Selected; onEnd: () => void }) {
  const { t } = useTranslation("messages");
  const { ask } = useMessageContext();
  const actionsFor = useMessageActions();
  useEscape(onEnd);
  const messages = [...selected.values()].toSorted((a, b) => a.seq - b.seq);
  const deletable = messages.filter((message) => actionsFor(message).remove !== undefined);
  const count = messages.length;
  const note =
    count >= MAX_SELECTED
      ? t("select.max", { count: MAX_SELECTED })
      : count > MAX_LINKED && t("select.maxForward", { count: MAX_LINKED });
  return (
    <div
      role="toolbar"
      aria-label={t("select.bar")}
      className="column flex shrink-0 flex-wrap items-center gap-2 border-t border-line bg-raised py-2"
    >
      <p role="status" className="min-w-0 flex-1 font-semibold whitespace-nowrap">
        {t("select.count", { count })}
      </p>
      <Button
        size="sm"
        icon={Forward}
        disabled={count === 0 || count > MAX_LINKED}
        onClick={() => ask({ kind: "forward", messages })}
      >
        {t("forward.action")}
      </Button>
      <Button
        size="sm"
        variant="danger-ghost"
        icon={Trash2}
        disabled={deletable.length === 0}
        onClick={() => ask({ kind: "deleteMany", messages: deletable, others: count - deletable.length })}
      >
        {t("common:delete")}
      </Button>
      <IconButton icon={X} size="sm" label={t("select.end")} onClick={onEnd} />
      {note !== false && <p className="w-full text-sm text-muted">{note}</p>}
    </div>
  );
}

interface DeleteSelectedDialogProps {
  messages: readonly Message[];
  /** The selected messages that the user can't delete. */
  others: number;
  onClose: () => void;
}

export function DeleteSelectedDialog({ messages, others, onClose }: DeleteSelectedDialogProps) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  const { length: count } = messages;
  const remove = async () => {
    const { failed, error } = await deleteEach(messages, ({ id }) => view.delete(id));
    setSelected(view.channelId, failed.size === 0 ? null : failed);
    if (failed.size === 0) return showToast({ text: t("select.deleted", { count }), tone: "good" });
    const text = t("select.failed", { count: failed.size, total: count });
    showToast({ text: `${text} ${errorText(error)}`, tone: "danger" });
  };
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t("select.deleteTitle", { count })}
      action={t("delete.action")}
      onConfirm={remove}
    >
      <p>{t("select.deleteText", { count })}</p>
      {others > 0 && <p className="mt-2">{t("select.others", { count: others })}</p>}
    </ConfirmDialog>
  );
}

/** One after another; without a connection, the rest isn't tried. */
async function deleteEach(
  messages: readonly Message[],
  remove: (message: Message) => Promise<void>,
): Promise<{ failed: Selected; error: unknown }> {
  const failed = new Map<string, Message>();
  let error: unknown = null;
  for (const message of messages) {
    try {
      if (isErrorOf(error, "CONNECTION_LOST")) throw error;
      await remove(message);
    } catch (failure) {
      error = failure;
      failed.set(message.id, message);
    }
  }
  return { failed, error };
}
