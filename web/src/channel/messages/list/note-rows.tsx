import type { MemberChange, Ephemeral } from "@fanfare/contract";
import { LogIn, EyeOff, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useId } from "react";
import { useFormats } from "../../../shared/formats.ts";
import { useNicknames } from "../../../data/members.ts";
import { useUsers } from "../../../data/people.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { formatTime, shortTime, formatDay, dayName } from "../../../shared/times.ts";
import { useMessageContext } from "./use-rows.ts";
import { IconButton, Button } from "../../../ui/button.tsx";
import { Avatar, Badge } from "../../../ui/display.tsx";
import { dismissEphemeral } from "../ephemerals.ts";
import { Cards, Controls } from "../item/cards.tsx";
import { useAuthor } from "../item/use-author.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { LaterPopover } from "../../../ui/later-popup.tsx";

interface BlockedFoldProps {
  count: number;
  isOpen: boolean;
  onOpen: () => void;
}

export function BlockedFold({ count, isOpen, onOpen }: BlockedFoldProps) {
  const { t } = useTranslation("messages");
  return (
    <p className="column flex items-center gap-2 pt-2 text-sm text-muted before:w-12">
      {t("blocked.count", { count })}
      {!isOpen && (
        <button type="button" className="font-medium text-accent-text hover:underline" onClick={onOpen}>
          {t("blocked.show")}
        </button>
      )}
    </p>
  );
}

export function UnreadDivider() {
  const { t } = useTranslation("messages");
  return (
    <div role="separator" aria-label={t("unreadDivider")} className="column flex items-center gap-2 pt-3">
      <span className="h-px flex-1 bg-danger" />
      <span className="text-xs font-semibold text-danger-text">{t("unreadDivider")}</span>
    </div>
  );
}

interface DayDividerProps {
  time: string;
  /** Jumps to the first message of the chosen day. */
  onDate: (day: Date) => void;
}

export function DayDivider({ time, onDate }: DayDividerProps) {
  const { t } = useTranslation("messages");
  const fieldId = useId();
  return (
    <div role="group" aria-label={dayName(time)} className="column flex items-center gap-3 pt-5 pb-1">
      <span className="h-px flex-1 bg-line" />
      <LaterPopover
        label={t("day.goTo")}
        trigger={
          <button
            type="button"
            className="rounded-full border border-line px-3 py-0.5 text-xs font-medium text-muted hover:border-line-strong hover:text-text"
          >
            {dayName(time)}
          </button>
        }
      >
        {(close) => (
          <form
            className="grid gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              const value = new FormData(event.currentTarget).get("day");
              close();
              // Without a time, `Date` would assume UTC.
              if (typeof value === "string" && value !== "") onDate(new Date(`${value}T00:00`));
            }}
          >
            <label htmlFor={fieldId} className="text-sm font-medium">
              {t("day.goTo")}
            </label>
            <div className="flex gap-2">
              <input
                id={fieldId}
                name="day"
                type="date"
                required
                defaultValue={formatDay(new Date(time))}
                max={formatDay(new Date())}
                className="min-h-control rounded-md border border-line-strong bg-field px-2"
              />
              <Button type="submit" variant="primary">
                {t("day.go")}
              </Button>
            </div>
          </form>
        )}
      </LaterPopover>
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

const MAX_NAMES = 3;

interface MemberChangesProps {
  /** At least one. */
  changes: readonly MemberChange[];
}

/** Who joined and left between two messages: "Ada, Grace and 2 others joined. Bob left." */
export function MemberChanges({ changes }: MemberChangesProps) {
  const [joined, left] = [
    changes.filter(({ change }) => change === "joined"),
    changes.filter(({ change }) => change === "left"),
  ];
  return (
    <p className="column flex gap-4 pt-2 text-sm text-muted" title={formatTime(changes[0]!.at, "full")}>
      <span className="flex w-10 shrink-0 justify-center pt-0.5">
        <LogIn size={15} aria-hidden />
      </span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        {joined.length > 0 && <People changes={joined} />}
        {joined.length > 0 && left.length > 0 && " "}
        {left.length > 0 && <People changes={left} />}
      </span>
    </p>
  );
}

/** @param changes all of the same kind */
function People({ changes }: MemberChangesProps) {
  const { t } = useTranslation("messages");
  const count = changes.length;
  const named = changes.slice(0, count > MAX_NAMES ? MAX_NAMES - 1 : MAX_NAMES).map(({ userId }) => userId);
  const users = new Map(useUsers(named).map((user) => [user.id, user]));
  const others = count - named.length;
  const nicknames = useNicknames(useMessageContext().channel.groupId);
  const parts = named.map((userId) => userName(users.get(userId), nicknames[userId]?.nickname));
  if (others > 0) parts.push(t("reaction.others", { count: others }));
  const names = useFormats().names(parts);
  return changes[0]!.change === "joined"
    ? t("members.joined", { count, names })
    : t("members.left", { count, names });
}

/** A message of a bot that only this user sees. */
export function EphemeralItem({ ephemeral }: { ephemeral: Ephemeral }) {
  const { t } = useTranslation("messages");
  const { authorId, channelId, content, cards, controls, createdAt } = ephemeral;
  const author = useAuthor({ authorId, channelId, nonce: "", as: undefined });
  return (
    <div
      role="group"
      aria-label={t("ephemeral.note")}
      className="column mt-message flex gap-4 bg-hover/60 py-1.5 md:rounded-md"
    >
      <div className="w-10 shrink-0">
        <Avatar name={author.name} id={authorId} src={author.avatarUrl} size={40} />
      </div>
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5 text-xs text-muted">
          <EyeOff size={12} aria-hidden className="shrink-0" />
          {t("ephemeral.note")}
        </p>
        <p className="flex items-baseline gap-2 leading-snug">
          <span className="truncate font-semibold">{author.name}</span>
          <Badge>{t("author.bot")}</Badge>
          <time dateTime={createdAt} className="shrink-0 text-xs text-muted">
            {shortTime(createdAt)}
          </time>
        </p>
        {content !== "" && (
          <div className="message-text">
            <Markdown content={content} />
          </div>
        )}
        {cards !== undefined && <Cards cards={cards} />}
        {controls !== undefined && <Controls message={ephemeral} controls={controls} />}
      </div>
      <IconButton
        icon={X}
        size="sm"
        label={t("ephemeral.dismiss")}
        onClick={() => dismissEphemeral(ephemeral)}
      />
    </div>
  );
}
