import type { SavedItem } from "@fanfare/client/store";
import type { Channel, ScheduledMessage, ChannelState } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  AlarmClock,
  Bookmark,
  Check,
  Pencil,
  SearchX,
  SendHorizontal,
  Trash2,
  MessageSquareText,
} from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { MentionsProvider } from "../channel/messages/item/message-card.tsx";
import { ReminderDialog } from "../channel/messages/item/shared-dialogs.tsx";
import { Markdown } from "../channel/messages/markdown/markdown.tsx";
import { useCall } from "../data/call.ts";
import { useChannelPermissions, useChannelState, useGroup } from "../data/groups.ts";
import { useSaved, useSavedMessages, useChannelUnread } from "../data/inbox.ts";
import { useNow, useSettled } from "../shared/hooks.ts";
import { later } from "../shared/later.tsx";
import { dotted } from "../shared/formats.ts";
import { PagedRows } from "../shared/paged-list.tsx";
import { TimeDialog } from "../shared/time-dialog.tsx";
import { dayAndTime } from "../shared/times.ts";
import { errorTypeText } from "../shared/use-action.ts";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { openConfirm, openDialog } from "../ui/open-dialog.tsx";
import { Badge } from "../ui/display.tsx";
import { EmptyState, showFailure, SkeletonRows } from "../ui/feedback.tsx";
import { FilterField } from "../ui/form.tsx";
import { Entries, MessageEntry } from "./message-entry.tsx";
import { ThreadRow } from "../channel/threads/threads-panel.tsx";
import { useFollowedThreads } from "../data/channel-messages.ts";

const TextForm = later(async () => (await import("../composer/fields.ts")).TextForm);

/** Messages saved for later, with a field to find some of them. */
export function SavedList() {
  const { t } = useTranslation("inbox");
  const { data: saved = {} } = useSaved();
  const isEmpty = Object.keys(saved).length === 0;
  const [wanted, setWanted] = useState("");
  const text = useSettled(wanted.trim());
  const pages = useSavedMessages(text);
  return (
    <div className="grid grid-cols-1 gap-4 pt-3">
      {!isEmpty && (
        <FilterField
          label={t("saved.search")}
          maxLength={LIMITS.searchTextMaxChars}
          value={wanted}
          onChange={setWanted}
        />
      )}
      <Entries>
        <PagedRows
          pages={pages}
          className="grid gap-4"
          empty={
            isEmpty || text === "" ? (
              <EmptyState icon={Bookmark} title={t("saved.empty")} text={t("saved.emptyText")} />
            ) : (
              <EmptyState icon={SearchX} title={t("saved.none")} text={t("saved.noneText")} />
            )
          }
        >
          {(item) => (
            <li key={item.message.id}>
              <SavedEntry item={item} />
            </li>
          )}
        </PagedRows>
      </Entries>
    </div>
  );
}

function SavedEntry({ item: { message, groupId } }: { item: SavedItem }) {
  const { t } = useTranslation("inbox");
  const call = useCall();
  const nowMs = useNow();
  const remindAt = useSaved().data?.[message.id]?.remindAt ?? null;
  const isDue = remindAt !== null && Date.parse(remindAt) <= nowMs;
  const remove = () => {
    call("saved.remove", { messageId: message.id }).catch(showFailure);
  };
  const remind = () => openDialog((onClose) => <ReminderDialog message={message} onClose={onClose} />);
  return (
    <MessageEntry
      message={message}
      groupId={groupId}
      isStrong={isDue}
      reason={t("tab.saved")}
      canSave={false}
      done={{ label: t("saved.done"), icon: Check, run: remove }}
      actions={<IconButton icon={AlarmClock} size="sm" label={t("saved.remind")} onClick={remind} />}
    >
      {remindAt !== null && (
        <Badge tone={isDue ? "accent" : "neutral"}>
          {isDue ? t("saved.due") : t("saved.remindAt", { time: dayAndTime(remindAt) })}
        </Badge>
      )}
    </MessageEntry>
  );
}

/** Messages that are sent later. */
export function ScheduledList({ scheduled }: { scheduled: readonly ScheduledMessage[] }) {
  return (
    <ol className="grid gap-4 pt-3">
      {scheduled.map((one) => (
        <li key={one.id}>
          <ScheduledEntry scheduled={one} />
        </li>
      ))}
    </ol>
  );
}

function ScheduledEntry({ scheduled }: { scheduled: ScheduledMessage }) {
  const { id: scheduledId, channelId, content, sendAt, failure } = scheduled;
  const { t } = useTranslation("inbox");
  const call = useCall();
  /** null: not yet. Afterwards, its button gets the focus. */
  const [isEditing, setEditing] = useState<boolean | null>(null);
  const { data: channel } = useChannelState(channelId);
  const group = useGroup(channel?.groupId ?? "");
  const sendAtTime = (time: Date) => call("scheduled.change", { scheduledId, sendAt: time.toISOString() });
  const changeTime = () =>
    openDialog((onClose) => (
      <TimeDialog
        title={t("composer:schedule.title")}
        action={t("composer:schedule.set")}
        onPick={sendAtTime}
        onClose={onClose}
      />
    ));
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("scheduled.removeTitle"),
      children: t("scheduled.removeText"),
      action: t("common:delete"),
      onConfirm: () => call("scheduled.remove", { scheduledId }),
    });
  const place = [
    channel?.groupId === null ? t("quick-switcher:kind.direct") : group?.name,
    channel?.name && `#${channel.name}`,
  ];
  return (
    <div className={cx("grid gap-1 border-s-3 ps-3", failure === null ? "border-line" : "border-danger")}>
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-muted">
        <Badge tone={failure === null ? "neutral" : "danger"}>
          {failure === null ? dayAndTime(sendAt) : t("scheduled.failed")}
        </Badge>
        <span className="min-w-0 truncate">{dotted(place)}</span>
      </div>
      <article className="flex items-start gap-2 rounded-md border border-line bg-raised p-3 text-sm">
        <div className="grid min-w-0 flex-1 gap-1 wrap-anywhere">
          {isEditing === true && channel !== undefined ? (
            <ScheduledText
              scheduled={scheduled}
              channel={channel}
              onEmpty={remove}
              onClose={() => setEditing(false)}
            />
          ) : (
            <MentionsProvider groupId={channel?.groupId ?? null}>
              <Markdown content={content} />
            </MentionsProvider>
          )}
          {failure !== null && <p className="text-danger-text">{errorTypeText(failure)}</p>}
        </div>
        {isEditing !== true && (
          <span className="-my-1 flex shrink-0 touch:-my-2.5">
            <IconButton
              icon={SendHorizontal}
              size="sm"
              label={t("scheduled.sendNow")}
              onClick={() => void sendAtTime(new Date()).catch(showFailure)}
            />
            <IconButton
              icon={Pencil}
              size="sm"
              label={t("scheduled.changeText")}
              disabled={channel === undefined}
              autoFocus={isEditing === false}
              onClick={() => setEditing(true)}
            />
            <IconButton icon={AlarmClock} size="sm" label={t("scheduled.change")} onClick={changeTime} />
            <IconButton icon={Trash2} size="sm" label={t("common:delete")} onClick={remove} />
          </span>
        )}
      </article>
    </div>
  );
}

interface ScheduledTextProps {
  scheduled: ScheduledMessage;
  channel: Channel;
  onEmpty: () => void;
  onClose: () => void;
}

/** Changes the text of a scheduled message. */
function ScheduledText({ scheduled: { id: scheduledId, content }, channel, ...rest }: ScheduledTextProps) {
  const { t } = useTranslation("inbox");
  const call = useCall();
  const permissions = useChannelPermissions(channel);
  return (
    <TextForm
      channel={channel}
      permissions={permissions}
      label={t("scheduled.changeText")}
      content={content}
      suggestsBelow
      onSave={(changed) => call("scheduled.change", { scheduledId, content: changed })}
      {...rest}
    />
  );
}

/** The threads that the user follows, in all groups. */
export function FollowedThreads() {
  const { t } = useTranslation("inbox");
  return (
    <PagedRows
      pages={useFollowedThreads()}
      label={t("tab.threads")}
      className="grid gap-1"
      placeholder={<SkeletonRows />}
      empty={
        <EmptyState icon={MessageSquareText} title={t("threads:empty.active")} text={t("noThreadsText")} />
      }
      endless
    >
      {(thread) => <FollowedThread key={thread.id} thread={thread} />}
    </PagedRows>
  );
}

function FollowedThread({ thread }: { thread: ChannelState }) {
  const group = useGroup(thread.groupId ?? "");
  const { data: parent } = useChannelState(thread.parentId ?? thread.id);
  const unread = useChannelUnread(thread.id, ({ messages }) => messages);
  const place = dotted([group?.name, parent && `#${parent.name}`]);
  return <ThreadRow thread={thread} unread={unread} place={place} />;
}
