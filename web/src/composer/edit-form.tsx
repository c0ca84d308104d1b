import type { Channel, Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { editedTexts, setEditing } from "../channel/messages/conversation.ts";
import { useMessageContext } from "../channel/messages/list/use-rows.ts";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { focusComposer } from "./field.ts";
import { MessageField } from "./message-field.tsx";
import { useEditor } from "./use-editor.ts";
import { useRunWhenReady } from "./use-run-when-ready.ts";

/** Changes the text of a message. Saving an empty text asks to delete the message. */
export function EditForm({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { view, channel, permissions, ask } = useMessageContext();
  return (
    <TextForm
      channel={channel}
      permissions={permissions}
      label={t("editLabel")}
      content={message.content}
      messageId={message.id}
      onSave={(content) => view.edit(message.id, content)}
      onEmpty={() => {
        if (message.attachments === undefined) ask({ kind: "delete", message });
      }}
      onClose={() => {
        setEditing(view.channelId, null);
        focusComposer(view.channelId);
      }}
    />
  );
}

interface TextFormProps {
  channel: Channel;
  permissions: number;
  label: string;
  /** The text so far. */
  content: string;
  /** Keeps the changed text while the form isn't mounted. */
  messageId?: string;
  onSave: (content: string) => Promise<unknown>;
  suggestsBelow?: boolean;
  /** Called instead of `onSave` for an empty text. */
  onEmpty: () => void;
  onClose: () => void;
}

/** Changes a text that is or will be a message. Enter saves, Esc cancels. */
export function TextForm(props: TextFormProps) {
  const { channel, permissions, label, messageId, suggestsBelow = false, onSave, onEmpty, onClose } = props;
  const { t } = useTranslation("messages");
  const editor = useEditor(editedTexts.get(messageId ?? "") ?? props.content);
  const { busy, error, run } = useAction();
  const hintId = useId();
  const { field } = editor;
  const wire = useStore(editor.contents, (contents) => contents.wire);
  const isLookingUp = useStore(editor.contents, ({ unknownNames }) => unknownNames.length > 0);
  const [start] = useState(props.content);
  useEffect(() => {
    if (messageId === undefined) return;
    // An unchanged text must not replace what is edited on another device.
    if (wire === start) editedTexts.delete(messageId);
    else editedTexts.set(messageId, wire);
  }, [messageId, wire, start]);
  useEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, [field]);
  const content = wire.trim();
  const tooMany = content.length - LIMITS.messageMaxChars;
  const saveNow = async () => {
    if (content === "") {
      onClose();
      onEmpty();
    } else if (content === props.content || (tooMany <= 0 && (await run(() => onSave(content))))) {
      onClose();
    }
  };
  const { isLocked, start: save } = useRunWhenReady(isLookingUp, () => void saveNow());
  return (
    <form
      className="relative grid gap-2 py-1"
      onKeyDown={(event) => event.stopPropagation()}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <MessageField
        editor={editor}
        channel={channel}
        permissions={permissions}
        label={label}
        describedBy={hintId}
        suggestsBelow={suggestsBelow}
        className="px-3 py-2"
        boxClassName="rounded-md border border-line-strong bg-field outline-offset-2 outline-focus has-focus-visible:outline-2"
        readOnly={isLocked}
        onSend={save}
        onKey={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          onClose();
        }}
      />
      <div className="flex items-center gap-2">
        <Button variant="primary" size="sm" type="submit" busy={busy} disabled={tooMany > 0}>
          {t("common:save")}
        </Button>
        <Button variant="ghost" size="sm" onClick={onClose}>
          {t("ui:cancel")}
        </Button>
        <p id={hintId} className="text-xs text-danger-text">
          {tooMany > 0 && t("composer:tooLong", { count: tooMany })}
        </p>
      </div>
      <ErrorNote text={error} />
    </form>
  );
}
