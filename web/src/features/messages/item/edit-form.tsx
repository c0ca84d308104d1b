import { MESSAGE_MAX_CHARS } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { setEditing } from "../conversation.ts";
import { useMessageContext } from "../list/message-context.ts";

/** The text of an own message as a field: Enter saves it, Esc leaves it as it was. Saved without a text it asks to delete. */
export function EditForm({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { view, ask } = useMessageContext();
  const [text, setText] = useState(message.content);
  const { busy, error, run } = useAction();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  const close = () => setEditing(view.channelId, null);
  const save = async () => {
    const content = text.trim();
    if (content === "" && message.attachments === undefined) {
      close();
      ask({ kind: "delete", message });
    } else if (content === "" || content === message.content) {
      close();
    } else if (await run(() => view.edit(message.id, content))) {
      close();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    // While characters are composed (Japanese, Chinese, …) Enter chooses among them.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void save();
  };
  return (
    <form
      className="grid gap-2 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        aria-label={t("edit.label")}
        value={text}
        rows={1}
        maxLength={MESSAGE_MAX_CHARS}
        className="field-sizing-content max-h-[40dvh] w-full resize-none rounded-md border border-line-strong bg-field px-3 py-2"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex items-center gap-2">
        <Button variant="primary" size="sm" type="submit" busy={busy}>
          {t("edit.save")}
        </Button>
        <Button variant="ghost" size="sm" onClick={close}>
          {t("ui:cancel")}
        </Button>
      </div>
      <ErrorNote text={error} />
    </form>
  );
}
