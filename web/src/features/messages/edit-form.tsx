import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { useState } from "react";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../shared/use-action.ts";
import { TextField } from "./text-field.tsx";

interface EditFormProps {
  view: ChannelView;
  message: Message;
  onDone: () => void;
}

export function EditForm({ view, message, onDone }: EditFormProps) {
  const [text, setText] = useState(message.content);
  const { busy, error, run } = useAction();
  const save = async () => {
    const unchanged = text === message.content;
    if (text.trim() === "") return;
    if (unchanged || (await run(() => view.edit(message.id, text)))) onDone();
  };
  return (
    <form
      className="edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label="Edit the message"
        value={text}
        autoFocus
        onChange={setText}
        onEnter={save}
        onEscape={onDone}
      />
      <div className="buttons">
        <button className="primary" type="submit" disabled={busy}>
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
      <ErrorNote text={error} />
    </form>
  );
}
