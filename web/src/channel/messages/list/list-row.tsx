import type { PendingMessage } from "@fanfare/client";
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useComposerState } from "../../../composer/composer.tsx";
import { useUploadStore } from "../../../composer/uploads.ts";
import { useMe } from "../../../data/me.ts";
import { useAvatarUrl } from "../../../data/members.ts";
import { useName } from "../../../people/members/user-name.tsx";
import { errorText, isErrorOf } from "../../../shared/use-action.ts";
import { Avatar } from "../../../ui/display.tsx";
import { Button } from "../../../ui/button.tsx";
import { showToast } from "../../../ui/feedback.tsx";
import { usePreferences } from "../../../state/preferences.ts";
import { cx } from "../../../ui/cx.ts";
import { Sticker } from "../../emoji/sticker.tsx";
import type { UnsentMessage } from "../conversation.ts";
import { MessageItem, type MessageItemProps } from "../item/message-item.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { deleteUnsent, retryMessage } from "../outbox.ts";
import { useMessageContext } from "./use-rows.ts";
import { EphemeralItem, MemberChanges, BlockedFold, UnreadDivider, DayDivider } from "./note-rows.tsx";
import type { Row } from "./rows.ts";

export interface ListRowProps extends Omit<MessageItemProps, "row"> {
  row: Row;
  isUnfolded: boolean;
  onUnfold: (firstId: string) => void;
  onDate: (day: Date) => void;
}

export function ListRow({ row, isUnfolded, onUnfold, onDate, ...state }: ListRowProps) {
  switch (row.kind) {
    case "day":
      return <DayDivider time={row.time} onDate={onDate} />;
    case "unread":
      return <UnreadDivider />;
    case "blocked":
      return <BlockedFold count={row.count} isOpen={isUnfolded} onOpen={() => onUnfold(row.firstId)} />;
    case "members":
      return <MemberChanges changes={row.changes} />;
    case "ephemeral":
      return <EphemeralItem ephemeral={row.ephemeral} />;
    case "pending":
      return <PendingItem message={row.message} startsGroup={row.startsGroup} />;
    case "unsent":
      return <UnsentItem failed={row.failed} />;
    case "message":
      return <MessageItem row={row} {...state} />;
  }
}

function PendingItem({ message, startsGroup }: { message: PendingMessage; startsGroup: boolean }) {
  const { t } = useTranslation("messages");
  const me = useMe();
  const { groupId } = useMessageContext().channel;
  const name = useName(me, groupId);
  const avatarUrl = useAvatarUrl(me, groupId);
  const isCompact = usePreferences(({ density }) => density === "compact");
  if (isCompact) {
    return (
      <div className={cx("message pending column flex gap-2 py-0.5 text-sm", startsGroup && "mt-message")}>
        <p className="w-15 shrink-0 truncate text-end text-xs leading-5 text-muted">{t("item.sending")}</p>
        <div className="min-w-0 flex-1">
          <p className="float-start me-2 font-semibold">{name}</p>
          <div className="message-text opacity-60">
            <PendingText message={message} />
          </div>
        </div>
      </div>
    );
  }
  return (
    <div className={cx("message pending column flex gap-4 py-0.5", startsGroup && "mt-message")}>
      <div className="w-10 shrink-0">
        {startsGroup && <Avatar name={name} id={me.id} src={avatarUrl} size={40} />}
      </div>
      <div className="min-w-0 flex-1">
        {startsGroup && <p className="leading-snug font-semibold">{name}</p>}
        <div className="message-text opacity-60">
          <PendingText message={message} />
        </div>
        <p className="text-xs text-muted">{t("item.sending")}</p>
      </div>
    </div>
  );
}

function PendingText({ message: { content, stickerId } }: { message: PendingMessage }) {
  return stickerId === undefined ? <Markdown content={content} /> : <Sticker id={stickerId} name={content} />;
}

function UnsentItem({ failed }: { failed: UnsentMessage }) {
  const { t } = useTranslation("messages");
  const { view, channel } = useMessageContext();
  const { content, options } = failed.message;
  // In a direct message, only a block forbids it.
  const isBlocked = channel.kind === "direct" && isErrorOf(failed.error, "FORBIDDEN");
  const canWrite = useComposerState(channel).kind === "open" && !isBlocked;
  const store = useUploadStore();
  const { attachmentIds } = options;
  const files = attachmentIds === undefined ? [] : store.filesOf(attachmentIds);
  const edit = async () => {
    const { insertInComposer } = await import("../../../composer/fields.ts");
    const count = LIMITS.attachmentsPerMessage;
    if (store.of(channel.id).length + files!.length > count)
      return showToast({ text: t("composer:upload.tooMany", { count }), tone: "danger" });
    if (!insertInComposer(channel.id, content)) return;
    // Uploaded again, because the failed message may have claimed the earlier uploads.
    for (const { file, recording } of files!) store.add(channel.id, [file], recording);
    deleteUnsent(failed);
  };
  return (
    <div
      role="group"
      aria-label={t("unsent.label")}
      className="message pending column mt-message flex gap-4 py-1"
    >
      <div className="flex w-10 shrink-0 justify-center pt-1 text-danger-text">
        <CircleAlert size={20} aria-hidden />
      </div>
      <div className="grid min-w-0 flex-1 gap-1 rounded-md border border-danger/60 px-3 py-2">
        {content !== "" && <Markdown content={content} />}
        <p className="text-sm text-danger-text">
          {t("unsent.label")} {isBlocked ? t("unsent.notReachable") : errorText(failed.error)}
        </p>
        <div className="flex gap-2">
          <Button size="sm" onClick={() => void retryMessage(view, failed)}>
            {t("ui:retry")}
          </Button>
          {canWrite && files !== undefined && (options.stickerId ?? options.poll) === undefined && (
            <Button size="sm" variant="ghost" onClick={() => void edit()}>
              {t("common:edit")}
            </Button>
          )}
          <Button size="sm" variant="ghost" onClick={() => deleteUnsent(failed)}>
            {t("common:delete")}
          </Button>
        </div>
      </div>
    </div>
  );
}
