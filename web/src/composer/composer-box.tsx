import { useSending, useSlowMode } from "./use-sending.ts";
import type { Channel, Message } from "@fanfare/contract";
import { AtSign, CornerUpRight, FileUp, X } from "lucide-react";
import { type KeyboardEvent, memo, Suspense, useCallback, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { LIMITS } from "@fanfare/contract/limits";
import { hasPermission, MEMBER_PERMISSIONS } from "@fanfare/contract/permissions";
import { useChannelView } from "../data/open-channels.ts";
import { useServerCache } from "../data/data-context.ts";
import { useMe } from "../data/me.ts";
import { useChannelPermissions, useChannelState } from "../data/groups.ts";
import { getDraft, onReceivedDraft, setDraft } from "../state/drafts.ts";
import { usePreferences } from "../state/preferences.ts";
import { IconButton } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { HAS_KEYBOARD } from "../ui/has-keyboard.ts";
import { useIsPhone } from "../ui/hooks.ts";
import { editLastOwn, setReplyTo, useConversation } from "../channel/messages/conversation.ts";
import { MentionsProvider } from "../channel/messages/item/message-card.tsx";
import { MessagePreview } from "../channel/messages/item/message-preview.tsx";
import { useAuthor } from "../channel/messages/item/use-author.ts";
import { showToast } from "../ui/feedback.tsx";
import { useFormats } from "../shared/formats.ts";
import { useHandler } from "../shared/hooks.ts";
import { AddMenu, EmojiButton, FormattingToggle, RecordButton, SendButton } from "./composer-buttons.tsx";
import { composerFieldId } from "./field.ts";
import { useEditor } from "./use-editor.ts";
import { ComposerStatus } from "./composer-status.tsx";
import { FormattingBar } from "./formatting-bar.tsx";
import { insertEmoji } from "./markdown-edit.ts";
import { MessageField } from "./message-field.tsx";
import { LostFiles, UploadStrip, useFileDrop } from "./upload-strip.tsx";
import { type RejectedFile, useUploads } from "./uploads.ts";
import { lazy } from "../shared/later.tsx";

const Recorder = lazy(async () => (await import("./recorder.tsx")).Recorder);
const PollDialog = lazy(async () => (await import("./poll-dialog.tsx")).PollDialog);
const TemplatesDialog = lazy(async () => (await import("./templates-dialog.tsx")).TemplatesDialog);
const ScheduleDialog = lazy(async () => (await import("./schedule-dialog.tsx")).ScheduleDialog);

export interface ComposerBoxProps {
  channel: Channel;
  /** The place's name: "#general" or the other person's name. */
  title: string;
  /** Focuses the field on devices with a keyboard. */
  autoFocus?: boolean;
  /** Whether the up arrow edits the user's newest message, which must be shown then. Default: true */
  canEditLast?: boolean;
  /** Called with the nonce of each message that is sent. */
  onSent?: (nonce: string) => void;
}

/** Isn't rendered again with each message of the channel, so that typing stays quick. */
export const ComposerBox = memo(function ComposerBox(props: ComposerBoxProps) {
  const { channel, title, autoFocus = true, canEditLast = true, onSent } = props;
  const { t } = useTranslation("composer");
  const { id: channelId, groupId, slowModeSeconds } = channel;
  const { client } = useServerCache();
  const ownId = client.user?.id ?? "";
  const view = useChannelView(channelId);
  const permissions = useChannelPermissions(channel, MEMBER_PERMISSIONS);
  const { replyTo } = useConversation(channelId);
  /** The replied-to message whose author isn't notified. */
  const [silentId, setSilentId] = useState<string | null>(null);
  const mentions = replyTo?.id !== silentId;
  const [alsoInChannel, setAlsoInChannel] = useState(false);
  /** The open dialog. */
  const [asking, setAsking] = useState<"time" | "templates" | { poll: string } | null>(null);
  const statusId = useId();
  const anchor = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  const editor = useEditor(getDraft(channelId), (text) => {
    if (text.trim() !== "" && !text.startsWith("/")) client.typing(channelId);
  });
  const { field, contents, reset } = editor;
  /** The text that the open dialog is about. */
  const asked = useStore(contents, ({ text, wire }) =>
    asking === "templates" ? text.trim() : asking === "time" ? wire.trim() : "",
  );
  const isFormatting = usePreferences((preferences) => preferences.showFormatting);
  useEffect(() => contents.subscribe(({ wire }) => setDraft(channelId, wire)), [channelId, contents]);
  useEffect(() => onReceivedDraft(channelId, reset), [channelId, reset]);
  const secondsLeft = useSlowMode({ view, ownId, slowModeSeconds, permissions });
  const sending = useSending({
    channel,
    view,
    editor,
    replyTo,
    mentionAuthor: mentions,
    alsoInChannel,
    secondsLeft,
    onSent,
    reset(text) {
      reset(text);
      setAlsoInChannel(false);
    },
    onPoll: (question) => setAsking({ poll: question }),
    onTemplates: () => setAsking("templates"),
  });

  const { uploads, lost, store } = useUploads(channelId);
  const showRefused = useRejectionToasts();
  const canAttach = hasPermission(permissions, "attachFiles");
  const addFiles = canAttach ? (files: File[]) => showRefused(store.add(channelId, files)) : null;
  const attachText = useHandler(() => {
    const { text } = contents.getState();
    const refused = store.add(channelId, [new File([text], "message.txt", { type: "text/plain" })]);
    showRefused(refused);
    if (refused.length === 0) reset("");
    field.current?.focus();
  });
  const { over } = useFileDrop(anchor, addFiles);
  const [isRecording, setRecording] = useState(false);
  const record = useCallback(() => setRecording(true), []);
  const stopRecording = () => {
    setRecording(false);
    if (HAS_KEYBOARD) field.current?.focus();
  };
  const isPhone = useIsPhone();

  const isPlain = uploads.length === 0 && replyTo === null && !sending.isLookingUp;
  const canSchedule = sending.canSend && isPlain && !sending.isWaiting && !sending.isCommand;

  const submit = useHandler(sending.submit);
  const sendSticker = useHandler(sending.sendSticker);
  const { stopWaiting } = sending;
  const insert = useHandler((emoji: string) => field.current && insertEmoji(field.current, emoji));
  const attach = useCallback(() => picker.current?.click(), []);
  const askPoll = useHandler(() => setAsking({ poll: contents.getState().wire.trim() }));
  const askTemplates = useCallback(() => setAsking("templates"), []);
  const askTime = useCallback(() => setAsking("time"), []);

  const replyToId = replyTo?.id;
  useEffect(() => {
    if (replyToId !== undefined) field.current?.focus();
  }, [replyToId, field]);

  const onKey = (event: KeyboardEvent) => {
    if (canEditLast && event.key === "ArrowUp" && contents.getState().text === "" && uploads.length === 0) {
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
        {isRecording && (
          <Suspense>
            <Recorder
              onRecorded={(file, recording) => showRefused(store.add(channelId, [file], recording))}
              onClose={stopRecording}
            />
          </Suspense>
        )}
        {isFormatting && <FormattingBar field={field} />}
        <div className="flex items-end gap-0.5 p-1">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              addFiles?.([...(event.target.files ?? [])]);
              event.target.value = "";
              field.current?.focus();
            }}
          />
          <AddMenu
            channelId={channelId}
            groupId={groupId}
            canAttach={canAttach}
            canSchedule={canSchedule}
            isRecording={isRecording}
            onAttach={attach}
            onRecord={record}
            onPoll={askPoll}
            onTemplates={askTemplates}
            onSchedule={askTime}
          />
          <MessageField
            editor={editor}
            channel={channel}
            permissions={permissions}
            id={composerFieldId(channelId)}
            label={label}
            // The name of a thread is the text of its first message.
            placeholder={channel.kind === "thread" ? t("replyInThread") : label}
            className="px-1.5 py-[0.4375rem] compact:py-[0.3125rem] touch:py-2.5"
            autoFocus={autoFocus && HAS_KEYBOARD}
            readOnly={sending.isWaiting}
            describedBy={statusId}
            onSend={submit}
            onKey={onKey}
            onFiles={addFiles ?? undefined}
          />
          <FormattingToggle />
          <EmojiButton groupId={groupId} onPick={insert} onSticker={canAttach ? sendSticker : undefined} />
          {isPhone && sending.isEmpty && canAttach && !isRecording ? (
            <RecordButton onRecord={record} />
          ) : (
            <SendButton
              canSend={sending.canSend}
              isWaiting={sending.isWaiting}
              canSchedule={canSchedule}
              onSend={submit}
              onSchedule={askTime}
            />
          )}
        </div>
      </div>
      {channel.parentId !== null && (
        <AlsoInChannel parentId={channel.parentId} checked={alsoInChannel} onChange={setAlsoInChannel} />
      )}
      <Suspense>
        {asking === "templates" && (
          <TemplatesDialog
            text={asked}
            onInsert={(text) => {
              const { wire } = contents.getState();
              reset(wire.trim() === "" ? text : `${wire}\n${text}`);
            }}
            finalFocus={() => field.current}
            onClose={() => setAsking(null)}
          />
        )}
        {asking !== null && typeof asking === "object" && (
          <PollDialog
            view={view}
            question={asking.poll}
            onDone={() => reset("")}
            onClose={() => setAsking(null)}
          />
        )}
        {asking === "time" && (
          <ScheduleDialog
            channelId={channelId}
            content={asked}
            onDone={() => reset("")}
            onClose={() => setAsking(null)}
          />
        )}
      </Suspense>
      <ComposerStatus
        id={statusId}
        channelId={channelId}
        charsLeft={sending.charsLeft}
        onAttachText={canAttach ? attachText : null}
        secondsLeft={secondsLeft}
        slowModeSeconds={slowModeSeconds}
        waitsFor={sending.waitsFor}
        onStopWaiting={stopWaiting}
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

interface AlsoInChannelProps {
  parentId: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** In a thread. */
function AlsoInChannel({ parentId, checked, onChange }: AlsoInChannelProps) {
  const { t } = useTranslation("composer");
  const { data: parent } = useChannelState(parentId);
  return (
    <div className="px-1 pt-1.5 text-sm text-muted">
      <Checkbox
        label={t("alsoInChannel", { name: parent?.name ?? "…" })}
        checked={checked}
        onChange={onChange}
      />
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
    <div className="flex items-center gap-1.5 border-b border-line py-1 pe-1.5 ps-3 text-sm">
      <CornerUpRight size={15} aria-hidden className="shrink-0 text-muted" />
      <p className="flex min-w-0 flex-1 items-baseline gap-1.5">
        <span className="shrink-0 font-medium">{t("reply.to", { name })}</span>
        <span className="truncate text-muted">
          <MentionsProvider groupId={groupId}>
            <MessagePreview message={message} />
          </MentionsProvider>
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

/** Tells the user which files can't be attached. */
export function useRejectionToasts(): (refused: readonly RejectedFile[]) => void {
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
