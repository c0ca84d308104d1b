import type { ChannelView } from "@fanfare/client";
import { useState } from "react";
import { sendMessage } from "./conversation.ts";
import { TextField } from "./text-field.tsx";

/** On a telephone, focus would open a keyboard over half of the screen. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;

export function Composer({ view, channelName }: { view: ChannelView; channelName: string }) {
  const [text, setText] = useState("");
  const submit = () => {
    if (text.trim() === "") return;
    void sendMessage(view, text);
    setText("");
  };

  return (
    <div className="composer">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={`Message to #${channelName}`}
          placeholder={`Message to #${channelName}`}
          value={text}
          autoFocus={HAS_KEYBOARD}
          onChange={setText}
          onEnter={submit}
        />
        <button className="primary" type="submit" disabled={text.trim() === ""}>
          Send
        </button>
      </form>
    </div>
  );
}
