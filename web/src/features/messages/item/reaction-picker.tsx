import type { Message } from "@fanfare/contract";
import { SmilePlus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useToggleReaction } from "../../../data/own-reactions.ts";
import { errorText } from "../../../shared/error-text.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { EmojiPopover } from "../../emoji/emoji-popover.tsx";

interface ReactionPickerProps {
  message: Message;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

/** A button that offers emoji to react with. */
export function ReactionPicker({ message, ...state }: ReactionPickerProps) {
  const { t } = useTranslation("messages");
  const toggle = useToggleReaction();
  return (
    <EmojiPopover
      label={t("reaction.choose")}
      trigger={<IconButton icon={SmilePlus} size="sm" label={t("action.react")} />}
      side="top"
      onPick={(emoji) => {
        toggle(message, emoji, false).catch((error: unknown) => {
          showToast({ text: errorText(error), tone: "danger" });
        });
      }}
      {...state}
    />
  );
}
