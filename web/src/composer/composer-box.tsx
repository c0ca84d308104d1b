import { useSending, useSlowMode } from "./use-sending.ts";
import type { Channel, Message } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { AtSign, CirclePlus, CornerUpRight, FileUp, SendHorizontal, Smile, X } from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { useChannelView } from "../data/open-channels.ts";
import { useServerCache } from "../data/data-context.ts";
import { useMe } from "../data/me.ts";
import { useChannelPermissions } from "../data/groups.ts";
import { getDraft, setDraft } from "../state/drafts.ts";
import { IconButton } from "../ui/button.tsx";
import { EmojiPopover } from "../channel/emoji/emoji-popover.tsx";
import { editLastOwn, setReplyTo, useConversation } from "../channel/messages/conversation.ts";
import { MentionsProvider } from "../channel/messages/item/message-card.tsx";
import { useAuthor } from "../channel/messages/item/use-author.ts";
import { MarkdownPreview } from "../channel/messages/markdown/markdown.tsx";
import { showToast } from "../ui/feedback.tsx";
import { useFormats } from "../shared/formats.ts";
import { composerFieldId, useEditor } from "./use-editor.ts";
import { ComposerStatus } from "./composer.tsx";
import { insertAtCaret } from "./markdown-edit.ts";
import { MessageField } from "./message-field.tsx";
import { LostFiles, UploadStrip, useFileDrop } from "./upload-strip.tsx";
import { type RejectedFile, useUploads } from "./uploads.ts";

/** On phones, focusing the field would open the keyboard over half of the screen. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;

interface ComposerBoxProps {
  channel: Channel;
  title: string;
  autoFocus?: boolean;
}

/** Isn't rendered again with each message of the channel, so that typing stays quick. */
export const ComposerBox = memo(function ComposerBox({ channel, title, autoFocus = true }: ComposerBoxProps) {
  const { t } = useTranslation("composer");
  const { id: channelId, groupId, slowModeSeconds } = channel;
  const { client } = useServerCache();
  const ownId = client.user?.id ?? "";
  const view = useChannelView(channelId);
  const permissions = useChannelPermissions(channel);
  const { replyTo } = useConversation(channelId);
  /** The replied-to message whose author isn't notified. */
  const [silentId, setSilentId] = useState<string | null>(null);
  const mentions = replyTo?.id !== silentId;
  const statusId = useId();
  const anchor = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  const editor = useEditor(groupId, getDraft(channelId), (text) => {
    if (text.trim() !== "" && !text.startsWith("/")) client.typing(channelId);
  });
  const { field, wire } = editor;
  useEffect(() => setDraft(channelId, wire), [channelId, wire]);
  const secondsLeft = useSlowMode({ view, ownId, slowModeSeconds, permissions });
  const sending = useSending({
    channel,
    view,
    wire,
    isLookingUp: editor.unknownNames.length > 0,
    replyTo,
    mentionAuthor: mentions,
    secondsLeft,
    reset: editor.reset,
  });

  const { uploads, lost, store } = useUploads(channelId);
  const showRefused = useRejectionToasts();
  const canAttach = hasPermission(permissions, "attachFiles");
  const addFiles = canAttach ? (files: File[]) => showRefused(store.add(channelId, files)) : null;
  const { over } = useFileDrop(anchor, addFiles);

  const replyToId = replyTo?.id;
  useEffect(() => {
    if (replyToId !== undefined) field.current?.focus();
  }, [replyToId, field]);

  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowUp" && editor.text === "" && uploads.length === 0) {
      if (editLastOwn(view, ownId)) event.preventDefault();
    } else if (event.key === "Escape" && sending.isWaiting) {
      event.preventDefault();
      sending.stopWaiting();
    } else if (event.key === "Escape" && replyTo !== null) {
      event.preventDefault();
      setReplyTo(channelId, null);
    }
  };

  const label = t("label", { title });
  return (
    <div ref={anchor} className="column shrink-0 pb-1 max-md:px-3">
      {over !== null && <DropOverlay place={over} title={title} />}
      <div className="relative rounded-lg border border-line-strong bg-field transition-colors focus-within:border-muted">
        {replyTo !== null && (
          <ReplyBar
            message={replyTo}
            groupId={groupId}
            mentions={mentions}
            onMentions={(isOn) => setSilentId(isOn ? null : replyTo.id)}
            onCancel={() => setReplyTo(channelId, null)}
          />
        )}
        <LostFiles names={lost} onDismiss={() => store.forgetLost(channelId)} />
        <UploadStrip
          uploads={uploads}
          onRemove={(uploadId) => store.remove(channelId, uploadId)}
          onRetry={(uploadId) => store.retry(channelId, uploadId)}
        />
        <div className="flex items-end gap-0.5 p-1">
          {addFiles !== null && (
            <>
              <input
                ref={picker}
                type="file"
                multiple
                hidden
                onChange={(event) => {
                  addFiles([...(event.target.files ?? [])]);
                  event.target.value = "";
                  field.current?.focus();
                }}
              />
              <IconButton icon={CirclePlus} label={t("attach")} onClick={() => picker.current?.click()} />
            </>
          )}
          <MessageField
            editor={editor}
            channel={channel}
            permissions={permissions}
            id={composerFieldId(channelId)}
            label={label}
            // The name of a thread is the text of its first message.
            placeholder={channel.kind === "thread" ? t("replyInThread") : label}
            className="block px-1.5 py-[0.4375rem] outline-none compact:py-[0.3125rem] placeholder:text-muted placeholder:whitespace-nowrap touch:py-2.5"
            autoFocus={autoFocus && HAS_KEYBOARD}
            readOnly={sending.isWaiting || sending.isLocked}
            describedBy={statusId}
            onSend={sending.submit}
            onKey={onKey}
            onFiles={addFiles ?? undefined}
          />
          <EmojiPopover
            label={t("emoji")}
            trigger={<IconButton icon={Smile} label={t("emoji")} />}
            side="top"
            align="end"
            onPick={(emoji) => field.current && insertAtCaret(field.current, emoji)}
          />
          <IconButton
            icon={SendHorizontal}
            label={t("send")}
            disabled={!sending.canSend || sending.isWaiting}
            className={sending.canSend ? "text-accent-text" : ""}
            // Keeps the phone's keyboard open.
            onPointerDown={(event) => event.preventDefault()}
            onClick={sending.submit}
          />
        </div>
      </div>
      <ComposerStatus
        id={statusId}
        channelId={channelId}
        charsLeft={sending.charsLeft}
        secondsLeft={secondsLeft}
        slowModeSeconds={slowModeSeconds}
        isWaiting={sending.isWaiting}
        onStopWaiting={sending.stopWaiting}
      />
    </div>
  );
});

function DropOverlay({ place, title }: { place: DOMRect; title: string }) {
  const { t } = useTranslation("composer");
  const { left, top, width, height } = place;
  return (
    <div
      className="pointer-events-none fixed z-30 flex items-center justify-center bg-overlay p-6"
      style={{ left, top, width, height }}
    >
      <p className="flex items-center gap-3 rounded-lg border-2 border-dashed border-accent bg-raised px-6 py-5 text-lg font-semibold shadow-raised">
        <FileUp size={24} aria-hidden className="text-accent-text" />
        {t("upload.drop", { title })}
      </p>
    </div>
  );
}

interface ReplyBarProps {
  message: Message;
  groupId: string | null;
  mentions: boolean;
  onMentions: (mentions: boolean) => void;
  onCancel: () => void;
}

function ReplyBar({ message, groupId, mentions, onMentions, onCancel }: ReplyBarProps) {
  const { t } = useTranslation("composer");
  const me = useMe();
  const { name } = useAuthor(message);
  const isOwn = message.authorId === me.id;
  return (
    <div className="flex items-center gap-1.5 border-b border-line py-1 pr-1.5 pl-3 text-sm">
      <CornerUpRight size={15} aria-hidden className="shrink-0 text-muted" />
      <p className="flex min-w-0 flex-1 items-baseline gap-1.5">
        <span className="shrink-0 font-medium">{t("reply.to", { name })}</span>
        <span className="truncate text-muted">
          {message.content === "" ? (
            t("reply.attachment")
          ) : (
            <MentionsProvider groupId={groupId}>
              <MarkdownPreview content={message.content} />
            </MentionsProvider>
          )}
        </span>
      </p>
      {!isOwn && (
        <IconButton
          icon={AtSign}
          size="sm"
          label={t("reply.mention", { name })}
          pressed={mentions}
          onClick={() => onMentions(!mentions)}
        />
      )}
      <IconButton icon={X} size="sm" label={t("reply.cancel")} onClick={onCancel} />
    </div>
  );
}

function useRejectionToasts(): (refused: readonly RejectedFile[]) => void {
  const { t } = useTranslation("composer");
  const { bytes } = useFormats();
  return (refused) => {
    const tooMany = refused.filter(({ reason }) => reason === "tooMany");
    if (tooMany.length > 0) {
      showToast({ text: t("upload.tooMany", { count: LIMITS.attachmentsPerMessage }), tone: "danger" });
    }
    for (const refusal of refused) {
      const { name } = refusal.file;
      if (refusal.reason === "empty") showToast({ text: t("upload.empty", { name }), tone: "danger" });
      if (refusal.reason === "tooLarge") {
        const max = bytes(refusal.maxBytes);
        showToast({ text: t("upload.nameTooLarge", { name, max }), tone: "danger" });
      }
    }
  };
}
