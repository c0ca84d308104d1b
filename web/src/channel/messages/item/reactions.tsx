import type { Message, Reaction } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { useContext } from "react";
import { useTranslation } from "react-i18next";
import { useFormats } from "../../../shared/formats.ts";
import { SmilePlus } from "lucide-react";
import { useOwnReactions, useToggleReaction } from "../../../data/own-reactions.ts";
import { useUsers } from "../../../data/people.ts";
import { useStoreState } from "../../../data/store.ts";
import { cx } from "../../../ui/cx.ts";
import { IconButton, Tooltip } from "../../../ui/button.tsx";
import { useMessageContext } from "../list/use-rows.ts";
import { MarkdownContext } from "../markdown/markdown.tsx";
import { EmojiSign } from "../../emoji/emoji-sign.tsx";
import { showFailure } from "../../../ui/feedback.tsx";
import { laterPopup } from "../../../ui/later-popup.tsx";

const EmojiPopover = laterPopup(async () => (await import("../../../app/next.ts")).EmojiPopover);

interface ReactionsProps {
  message: Message;
  reactions: readonly Reaction[];
  /** Reactions that were there before. */
  knownEmoji: ReadonlySet<string>;
}

export function Reactions({ message, reactions, knownEmoji }: ReactionsProps) {
  const { permissions } = useMessageContext();
  const own = useOwnReactions(message);
  const canAdd = hasPermission(permissions, "addReactions");
  return (
    <div className="mt-1 flex flex-wrap items-center gap-1">
      {reactions.map((reaction) => (
        <ReactionChip
          key={reaction.emoji}
          message={message}
          reaction={reaction}
          isOwn={own.includes(reaction.emoji)}
          isNew={!knownEmoji.has(reaction.emoji)}
          canAdd={canAdd}
        />
      ))}
      {canAdd && <ReactionPicker message={message} />}
    </div>
  );
}

interface ReactionChipProps {
  message: Message;
  reaction: Reaction;
  isOwn: boolean;
  isNew: boolean;
  canAdd: boolean;
}

function ReactionChip({ message, reaction, isOwn, isNew, canAdd }: ReactionChipProps) {
  const { t } = useTranslation("messages");
  const { ask, channel } = useMessageContext();
  const { emoji: own } = useContext(MarkdownContext);
  const toggle = useToggleReaction();
  const { emoji, count, userIds } = reaction;
  const nicknames = useStoreState((state) => state.nicknames[channel.groupId ?? ""]);
  const names = useUsers(userIds).map(({ id, nickname }) => nicknames?.[id]?.nickname ?? nickname);
  const others = count - names.length;
  const who = useFormats().names(others > 0 ? [...names, t("reaction.others", { count: others })] : names);
  const press = () => {
    toggle(message, emoji, isOwn).catch(showFailure);
  };
  return (
    <Tooltip text={t("reaction.users", { who, emoji })}>
      <button
        type="button"
        aria-pressed={isOwn}
        aria-label={t("reaction.label", { emoji, count })}
        disabled={!canAdd && !isOwn}
        className={cx(
          "inline-flex min-h-6.5 items-center gap-1.5 rounded-full border px-2.5 text-sm tabular-nums transition-colors touch:min-h-9",
          isNew && "animate-grow",
          isOwn
            ? "border-accent bg-accent-soft font-medium text-accent-text"
            : "border-line bg-raised text-muted hover:not-disabled:border-line-strong hover:not-disabled:text-text",
        )}
        onClick={press}
        onContextMenu={(event) => {
          event.preventDefault();
          event.stopPropagation();
          ask({ kind: "reactors", message, emoji });
        }}
      >
        {/* The tooltip of the button has the name. */}
        <span className="pointer-events-none font-emoji text-lg leading-none">
          <EmojiSign emoji={emoji} own={own} />
        </span>
        {count}
      </button>
    </Tooltip>
  );
}

interface ReactionPickerProps {
  message: Message;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function ReactionPicker({ message, ...state }: ReactionPickerProps) {
  const { t } = useTranslation("messages");
  const { channel } = useMessageContext();
  const toggle = useToggleReaction();
  return (
    <EmojiPopover
      groupId={channel.groupId}
      label={t("reaction.choose")}
      trigger={<IconButton icon={SmilePlus} size="sm" label={t("action.react")} />}
      side="top"
      onPick={(emoji) => {
        toggle(message, emoji, false).catch(showFailure);
      }}
      {...state}
    />
  );
}
