import type { Message } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useId } from "react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../../shared/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { focusComposer } from "../../composer/composer-id.ts";
import { MessageField } from "../../composer/message-field.tsx";
import { useWritten } from "../../composer/use-written.ts";
import { setEditing } from "../conversation.ts";
import { useMessageContext } from "../list/message-context.ts";

/** The text of an own message as a field: Enter saves it, Esc leaves it as it was. Saved without a text it asks to delete. */
export function EditForm({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { view, channel, permissions, ask } = useMessageContext();
  const written = useWritten(channel.groupId, message.content);
  const { busy, error, run } = useAction();
  const hintId = useId();
  const { field } = written;
  useEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, [field]);
  const content = written.wire.trim();
  const tooMany = content.length - LIMITS.messageMaxChars;
  const close = () => {
    setEditing(view.channelId, null);
    focusComposer(view.channelId);
  };
  const save = async () => {
    if (content === "" && message.attachments === undefined) {
      close();
      ask({ kind: "delete", message });
    } else if (content === "" || content === message.content) {
      close();
    } else if (tooMany <= 0 && (await run(() => view.edit(message.id, content)))) {
      close();
    }
  };
  return (
    <form
      className="relative grid gap-2 py-1"
      onKeyDown={(event) => event.stopPropagation()}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <MessageField
        written={written}
        channel={channel}
        permissions={permissions}
        label={t("edit.label")}
        describedBy={hintId}
        className="block rounded-md border border-line-strong bg-field px-3 py-2"
        onSend={() => void save()}
        onKey={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          close();
        }}
      />
      <div className="flex items-center gap-2">
        <Button variant="primary" size="sm" type="submit" busy={busy} disabled={tooMany > 0}>
          {t("edit.save")}
        </Button>
        <Button variant="ghost" size="sm" onClick={close}>
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
