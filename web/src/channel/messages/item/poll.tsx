import type { Message, Poll } from "@fanfare/contract";
import { POLL_EMOJI } from "@fanfare/contract/limits";
import { hasPermission } from "@fanfare/contract/permissions";
import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useOwnReactions, useToggleReaction } from "../../../data/own-reactions.ts";
import { moveFocusByArrows, useNow } from "../../../shared/hooks.ts";
import { dayAndTime } from "../../../shared/times.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { openConfirm } from "../../../ui/open-dialog.tsx";
import { showFailure } from "../../../ui/feedback.tsx";
import { useMessageContext } from "../list/use-rows.ts";

/** The reactions that are votes. */
export function votesOf(poll: Poll | undefined): readonly string[] {
  return POLL_EMOJI.slice(0, poll?.options.length ?? 0);
}

export function PollCard({ message, poll }: { message: Message; poll: Poll }) {
  const { t, i18n } = useTranslation("messages");
  const { permissions, ownId } = useMessageContext();
  const own = useOwnReactions(message);
  const toggle = useToggleReaction();
  // For a new look at the time.
  useNow();
  const hasEnded = poll.endsAt !== null && isPast(poll.endsAt);
  const canVote = !hasEnded && hasPermission(permissions, "addReactions");
  const canEnd = !hasEnded && (message.authorId === ownId || hasPermission(permissions, "manageMessages"));
  const emoji = votesOf(poll);
  const counts = emoji.map(
    (one) => message.reactions?.find((reaction) => reaction.emoji === one)?.count ?? 0,
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" });
  const time = poll.endsAt === null ? "" : dayAndTime(poll.endsAt);
  const open = poll.endsAt === null ? t("poll.open") : t("poll.endsAt", { time });
  const end = hasEnded ? t("poll.endedAt", { time }) : open;
  const vote = (one: string) => {
    const replaced = poll.allowsSeveral ? [] : emoji;
    toggle(message, one, own.includes(one), replaced).catch(showFailure);
  };
  return (
    <div
      role={poll.allowsSeveral ? "group" : "radiogroup"}
      aria-label={t("poll.label")}
      onKeyDown={moveFocusByArrows}
      className="mt-1.5 grid max-w-md gap-1.5 rounded-lg border border-line bg-raised p-3"
    >
      <p className="text-xs text-muted">
        {poll.allowsSeveral ? t("poll.chooseSeveral") : t("poll.chooseOne")}
      </p>
      {poll.options.map((text, index) => (
        <PollOption
          key={index}
          message={message}
          text={text}
          emoji={emoji[index]!}
          count={counts[index]!}
          share={total === 0 ? 0 : counts[index]! / total}
          percent={percent}
          isOneOfSeveral={poll.allowsSeveral}
          isOwn={own.includes(emoji[index]!)}
          isLeading={hasEnded && total > 0 && counts[index] === Math.max(...counts)}
          onVote={canVote ? () => vote(emoji[index]!) : null}
        />
      ))}
      <p className="flex min-h-7 flex-wrap items-center gap-x-2 text-xs text-muted">
        <span>{t("poll.votes", { count: total })}</span>
        <span aria-hidden>·</span>
        <span>{end}</span>
        {canEnd && <EndPoll message={message} />}
      </p>
    </div>
  );
}

function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now();
}

interface PollOptionProps {
  message: Message;
  text: string;
  emoji: string;
  count: number;
  /** Of all votes, from 0 to 1. */
  share: number;
  percent: Intl.NumberFormat;
  /** Whether further ones can be chosen too. */
  isOneOfSeveral: boolean;
  isOwn: boolean;
  /** Whether it has won. */
  isLeading: boolean;
  /** null: the user can't vote. */
  onVote: (() => void) | null;
}

function PollOption(props: PollOptionProps) {
  const { message, text, emoji, count, share, percent, isOneOfSeveral, isOwn, isLeading, onVote } = props;
  const { t } = useTranslation("messages");
  const { ask } = useMessageContext();
  const shown = percent.format(share);
  return (
    <div className="flex items-center gap-2">
      <button
        type="button"
        role={isOneOfSeveral ? "checkbox" : "radio"}
        aria-checked={isOwn}
        data-walk
        aria-label={t("poll.option", { text, count, percent: shown })}
        disabled={onVote === null}
        onClick={() => onVote?.()}
        className={cx(
          "relative flex min-h-9 min-w-0 flex-1 items-center gap-2 overflow-hidden rounded-md border px-2.5 py-1 text-start text-sm transition-colors",
          isOwn ? "border-accent" : "border-line-strong/60 hover:not-disabled:border-line-strong",
          isLeading && "font-semibold",
        )}
      >
        <span
          aria-hidden
          className={cx(
            "absolute inset-y-0 start-0 transition-[width] duration-(--motion-panel)",
            isOwn ? "bg-accent-soft" : "bg-hover",
          )}
          style={{ width: `${share * 100}%` }}
        />
        <span
          aria-hidden
          className={cx(
            "relative flex size-4 shrink-0 items-center justify-center border",
            isOneOfSeveral ? "rounded-sm" : "rounded-full",
            isOwn ? "border-accent bg-accent text-on-accent" : "border-line-strong",
          )}
        >
          {isOwn && <Check size={12} strokeWidth={3} />}
        </span>
        <span className="relative min-w-0 flex-1 wrap-anywhere">{text}</span>
        <span className="relative shrink-0 text-xs text-muted tabular-nums">{shown}</span>
      </button>
      <button
        type="button"
        aria-label={`${count} · ${t("poll.voters", { text })}`}
        disabled={count === 0}
        className="min-h-9 w-9 shrink-0 rounded-md text-sm text-muted tabular-nums disabled:invisible hover:not-disabled:bg-hover hover:not-disabled:text-text"
        onClick={() => ask({ kind: "reactors", message, emoji })}
      >
        {count}
      </button>
    </div>
  );
}

function EndPoll({ message: { channelId, id: messageId } }: { message: Message }) {
  const { t } = useTranslation("messages");
  const call = useCall();
  const end = () =>
    openConfirm({
      title: t("poll.endTitle"),
      children: t("poll.endText"),
      action: t("poll.end"),
      onConfirm: () => call("message.endPoll", { channelId, messageId }),
    });
  return (
    <Button size="sm" className="ms-auto" onClick={end}>
      {t("poll.end")}
    </Button>
  );
}
