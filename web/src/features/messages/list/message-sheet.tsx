import type { Message } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useToggleReaction } from "../../../data/own-reactions.ts";
import { errorText } from "../../../shared/error-text.ts";
import { cx } from "../../../ui/cx.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { EMOJI_CHOICE } from "../item/emoji-choice.ts";
import { useMessageActions, useMessageMenu } from "../item/use-message-actions.ts";

const QUICK = EMOJI_CHOICE.slice(0, 6);

/** What can be done with a message, large enough for thumbs. */
export function MessageSheet({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { react } = useMessageActions()(message);
  const items = useMessageMenu()(message);
  const toggle = useToggleReaction();
  const add = (emoji: string) => {
    onClose();
    toggle(message, emoji, false).catch((error: unknown) => {
      showToast({ text: errorText(error), tone: "danger" });
    });
  };
  return (
    <Dialog open onClose={onClose} title={t("action.toolbar")} size="sm">
      {react && (
        <div className="flex justify-between" role="group" aria-label={t("action.react")}>
          {QUICK.map((emoji) => (
            <button
              key={emoji}
              type="button"
              className="flex size-12 items-center justify-center rounded-full bg-hover text-2xl"
              onClick={() => add(emoji)}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
      <div className="grid">
        {items.map((item, index) =>
          item === "separator" ? (
            <hr key={`line-${index}`} className="my-1 border-line" />
          ) : (
            <button
              key={item.label}
              type="button"
              className={cx(
                "flex min-h-12 items-center gap-3 rounded-md px-2 text-left",
                item.danger === true && "text-danger-text",
              )}
              onClick={() => {
                onClose();
                item.onSelect();
              }}
            >
              {item.icon && <item.icon size={20} aria-hidden className="shrink-0" />}
              {item.label}
            </button>
          ),
        )}
      </div>
    </Dialog>
  );
}
