import { CirclePlus, SendHorizontal, Smile } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../data/data-context.ts";
import { useChannel } from "../../data/channel-view.ts";
import { useChannelPermissions } from "../../data/permissions.ts";
import { getDraft, setDraft } from "../../state/drafts.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { EmojiPopover } from "../emoji/emoji-popover.tsx";
import { editLastOwn, setReplyTo, useConversation } from "../messages/conversation.ts";
import { composerFieldId } from "./composer-id.ts";
import { ComposerStatus } from "./composer-status.tsx";
import { DropOverlay } from "./drop-overlay.tsx";
import { insertAtCaret } from "./edit-field.ts";
import { MessageField } from "./message-field.tsx";
import { ReplyBar } from "./reply-bar.tsx";
import { useSlowMode } from "./slow-mode.ts";
import { LostFiles, UploadStrip } from "./upload-strip.tsx";
import { useUploads } from "./uploads.ts";
import { useFileDrop } from "./use-file-drop.ts";
import { useRefusals } from "./use-refusals.ts";
import { useSending } from "./use-sending.ts";
import { useWritten } from "./use-written.ts";

/** On a telephone, focus would open a keyboard over half of the screen. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;

interface ComposerBoxProps {
  channel: Channel;
  title: string;
  autoFocus?: boolean;
}

/** The box in which one writes: text, files, emoji, and what is answered. */
export function ComposerBox({ channel, title, autoFocus = true }: ComposerBoxProps) {
  const { t } = useTranslation("composer");
  const { id: channelId, groupId, slowModeSeconds } = channel;
  const { client } = useServerCache();
  const ownId = client.user?.id ?? "";
  const { view, snapshot } = useChannel(channelId);
  const permissions = useChannelPermissions(channel);
  const { replyTo } = useConversation(channelId);
  /** The reply whose author is not told. */
  const [silentId, setSilentId] = useState<string | null>(null);
  const mentions = replyTo?.id !== silentId;
  const statusId = useId();
  const anchor = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  const written = useWritten(groupId, getDraft(channelId), (text) => {
    if (text.trim() !== "" && !text.startsWith("/")) client.typing(channelId);
  });
  const { field, wire } = written;
  useEffect(() => setDraft(channelId, wire), [channelId, wire]);
  const secondsLeft = useSlowMode({ messages: snapshot.messages, ownId, slowModeSeconds, permissions });
  const sending = useSending({
    channel,
    view,
    wire,
    replyTo,
    mentionAuthor: mentions,
    secondsLeft,
    reset: written.reset,
  });

  const { uploads, lost, store } = useUploads(channelId);
  const tellRefused = useRefusals();
  const mayAttach = hasPermission(permissions, "attachFiles");
  const addFiles = mayAttach ? (files: File[]) => tellRefused(store.add(channelId, files)) : null;
  const { over } = useFileDrop(anchor, addFiles);

  const replyToId = replyTo?.id;
  useEffect(() => {
    if (replyToId !== undefined) field.current?.focus();
  }, [replyToId, field]);

  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowUp" && written.text === "" && uploads.length === 0) {
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
    <div ref={anchor} className="shrink-0 px-3 pb-1 md:px-5">
      {over !== null && <DropOverlay place={over} title={title} />}
      <div className="relative rounded-lg border border-line-strong bg-field transition-colors focus-within:border-accent">
        {replyTo !== null && (
          <ReplyBar
            message={replyTo}
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
            written={written}
            channel={channel}
            permissions={permissions}
            id={composerFieldId(channelId)}
            label={label}
            placeholder={label}
            className="block px-1.5 py-[0.4375rem] outline-none placeholder:text-muted placeholder:whitespace-nowrap touch:py-2.5"
            autoFocus={autoFocus && HAS_KEYBOARD}
            readOnly={sending.isWaiting}
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
            // The keyboard of a phone stays open.
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
}
