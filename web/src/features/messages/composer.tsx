import type { ChannelView } from "@fanfare/client";
import { useState } from "react";
import { errorText } from "../../shared/error-text.ts";
import { TextField } from "./text-field.tsx";

/** On a telephone, focus would open a keyboard over half of the screen. */
const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;

interface Unsent {
  id: number;
  content: string;
  error: string;
}

/** A message that cannot be sent stays here until it is tried again or given up. */
export function Composer({ view, channelName }: { view: ChannelView; channelName: string }) {
  const [text, setText] = useState("");
  const [unsent, setUnsent] = useState<readonly Unsent[]>([]);

  const send = (content: string) => {
    view.send(content).catch((error: unknown) => {
      setUnsent((others) => [
        ...others,
        { id: Date.now() + Math.random(), content, error: errorText(error) },
      ]);
    });
  };
  const submit = () => {
    if (text.trim() === "") return;
    send(text);
    setText("");
  };
  const drop = (id: number) => setUnsent((others) => others.filter((other) => other.id !== id));

  return (
    <div className="composer">
      {unsent.map(({ id, content, error }) => (
        <div key={id} className="unsent" role="alert">
          <p>
            <strong>Not sent:</strong> {content}
          </p>
          <p>{error}</p>
          <div className="buttons">
            <button
              type="button"
              onClick={() => {
                drop(id);
                send(content);
              }}
            >
              Try again
            </button>
            <button type="button" onClick={() => drop(id)}>
              Give up
            </button>
          </div>
        </div>
      ))}
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
