import type { Message, ReportReason } from "@fanfare/contract";
import { textOf } from "@fanfare/contract/cards";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { ON_OPEN, useActionQuery, usePagedQuery } from "../../../data/data-context.ts";
import { usePerson } from "../../../people/members/user-name.tsx";
import { PagedList, PagedRows } from "../../../shared/paged-list.tsx";
import { formatTime } from "../../../shared/times.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Avatar } from "../../../ui/display.tsx";
import { Pending, SkeletonRows } from "../../../ui/feedback.tsx";
import { ForwardDialog } from "../forward/forward-dialog.tsx";
import { DeleteDialog, ReminderDialog } from "../item/shared-dialogs.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { DeleteSelectedDialog } from "./selection-bar.tsx";
import { type MessageDialog, useMessageContext } from "./use-rows.ts";
import { useCall } from "../../../data/call.ts";
import { RadioGroup } from "../../../ui/choices.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { TextArea, useForm } from "../../../ui/form.tsx";

/** Loaded when the first of them is opened. */
export function MessageDialogs({ dialog, onClose }: { dialog: MessageDialog; onClose: () => void }) {
  const { view, channel } = useMessageContext();
  if (dialog.kind === "forward")
    return <ForwardDialog channel={channel} messages={dialog.messages} onClose={onClose} />;
  if (dialog.kind === "deleteMany") return <DeleteSelectedDialog {...dialog} onClose={onClose} />;
  const { message } = dialog;
  switch (dialog.kind) {
    case "delete":
      return (
        <DeleteDialog content={textOf(message)} onConfirm={() => view.delete(message.id)} onClose={onClose} />
      );
    case "history":
      return <HistoryDialog message={message} onClose={onClose} />;
    case "readers":
      return <ReadersDialog message={message} onClose={onClose} />;
    case "remind":
      return <ReminderDialog message={message} onClose={onClose} />;
    case "report":
      return <ReportDialog message={message} isDirect={channel.groupId === null} onClose={onClose} />;
    case "reactors":
      return <ReactorsDialog message={message} emoji={dialog.emoji} onClose={onClose} />;
  }
}

function HistoryDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { id: messageId, channelId, content, editedAt } = message;
  const pages = usePagedQuery(
    "message.listEdits",
    { channelId, messageId },
    "edits",
    "before",
    ({ edits, hasMore }) => (hasMore ? edits.at(-1)?.version : null),
  );
  return (
    <Dialog onClose={onClose} title={t("history.title")} size="lg">
      <ol className="grid gap-4">
        <Version content={content} time={editedAt ?? message.createdAt} note={t("history.current")} />
      </ol>
      <PagedList pages={pages} items={pages.data ?? []} placeholder={<SkeletonRows count={2} />}>
        {(edits) => (
          <ol className="grid gap-4" start={2}>
            {edits.map(({ version, content: text, writtenAt }) => (
              <Version key={version} content={text} time={writtenAt} />
            ))}
          </ol>
        )}
      </PagedList>
    </Dialog>
  );
}

function Version({ content, time, note }: { content: string; time: string; note?: string }) {
  return (
    <li className="grid gap-1">
      <p className="text-sm text-muted">
        <time dateTime={time}>{formatTime(time, "full")}</time>
        {note !== undefined && ` · ${note}`}
      </p>
      <div className="rounded-md border border-line px-3 py-2">
        <Markdown content={content} />
      </div>
    </li>
  );
}

interface ReactorsDialogProps {
  message: Message;
  emoji: string;
  onClose: () => void;
}

function ReactorsDialog({ message, emoji, onClose }: ReactorsDialogProps) {
  const { t } = useTranslation("messages");
  const { channelId, id: messageId } = message;
  const params = { channelId, messageId, emoji, limit: LIMITS.pageMaxItems };
  const pages = usePagedQuery("message.listReactors", params, "userIds", "afterUserId", "nextUserId");
  return (
    <Dialog onClose={onClose} title={t("reaction.usersTitle", { emoji })} size="sm">
      <PagedRows pages={pages} className="grid gap-1" placeholder={<SkeletonRows count={3} withAvatar />}>
        {(userId) => <Reactor key={userId} userId={userId} />}
      </PagedRows>
    </Dialog>
  );
}

function ReadersDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const { channelId, id: messageId } = message;
  const asked = useActionQuery("message.listReaders", { channelId, messageId }, ON_OPEN);
  const { userIds = [], count = 0 } = asked.data ?? {};
  const others = count - userIds.length;
  const isAll = count < LIMITS.readersCounted;
  const title =
    count === 0 ? t("readers.title") : t("readers.titleWith", { number: isAll ? count : `${count}+` });
  return (
    <Dialog onClose={onClose} title={title} size="sm">
      <Pending of={asked}>
        <SkeletonRows count={3} withAvatar />
      </Pending>
      {asked.data !== undefined && count === 0 && <p className="text-muted">{t("readers.none")}</p>}
      <ul className="grid gap-1">
        {userIds.map((userId) => (
          <Reactor key={userId} userId={userId} />
        ))}
      </ul>
      {others > 0 && (
        <p className="pt-2 text-sm text-muted">
          {isAll ? t("readers.more", { count: others }) : t("readers.many", { count: others })}
        </p>
      )}
    </Dialog>
  );
}

function Reactor({ userId }: { userId: string }) {
  const { name, avatarUrl } = usePerson(userId, useMessageContext().channel.groupId);
  return (
    <li className="flex min-h-row items-center gap-2.5">
      <Avatar name={name} id={userId} src={avatarUrl} size={28} />
      <span className="truncate">{name}</span>
    </li>
  );
}

const REASONS: readonly ReportReason[] = ["spam", "harassment", "other"];

interface ReportDialogProps {
  message: Pick<Message, "id" | "channelId">;
  /** Whether it is in a direct channel, whose reports go to the admins. */
  isDirect: boolean;
  onClose: () => void;
}

function ReportDialog({ message: { id, channelId }, isDirect, onClose }: ReportDialogProps) {
  const { t } = useTranslation("messages");
  const call = useCall();
  const form = useForm<{ reason: ReportReason; details: string }>({
    initial: { reason: "spam", details: "" },
    submit: ({ reason, details }) => call("report.create", { channelId, messageId: id, reason, details }),
    saved: isDirect ? t("report.sentToAdmins") : t("report.sent"),
    onDone: onClose,
  });
  const { reason, details } = form.values;
  return (
    <FormDialog
      onClose={onClose}
      title={t("report.title")}
      description={isDirect ? t("report.textForAdmins") : t("report.text")}
      form={form}
      action={t("report.action")}
      disabled={reason === "other" && details.trim() === ""}
    >
      <RadioGroup
        label={t("report.reason")}
        value={reason}
        onChange={(chosen) => form.set("reason", chosen)}
        options={REASONS.map((value) => ({ value, label: t(`report.reasons.${value}`) }))}
      />
      <TextArea
        label={reason === "other" ? t("report.details") : t("report.optionalDetails")}
        maxLength={LIMITS.reportDetailsMaxChars}
        {...form.field("details")}
      />
    </FormDialog>
  );
}
