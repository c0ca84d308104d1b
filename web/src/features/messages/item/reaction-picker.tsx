import type { Message } from "@fanfare/contract";
import { SmilePlus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useToggleReaction } from "../../../data/own-reactions.ts";
import { errorText } from "../../../shared/error-text.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Popover } from "../../../ui/popover.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { EMOJI_CHOICE } from "./emoji-choice.ts";

interface ReactionPickerProps {
  message: Message;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

/** A button that offers emoji to react with. */
export function ReactionPicker({ message, ...state }: ReactionPickerProps) {
  const { t } = useTranslation("messages");
  const toggle = useToggleReaction();
  const react = (emoji: string) => {
    toggle(message, emoji, false).catch((error: unknown) => {
      showToast({ text: errorText(error), tone: "danger" });
    });
  };
  return (
    <Popover
      label={t("reaction.choose")}
      trigger={<IconButton icon={SmilePlus} size="sm" label={t("action.react")} />}
      side="top"
      className="p-2"
      {...state}
    >
      {(close) => (
        <div className="grid grid-cols-8 gap-0.5">
          {EMOJI_CHOICE.map((emoji) => (
            <button
              key={emoji}
              type="button"
              className="flex size-9 items-center justify-center rounded-md text-xl hover:bg-hover"
              onClick={() => {
                react(emoji);
                close();
              }}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
