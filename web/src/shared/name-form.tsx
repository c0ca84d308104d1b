import { useState } from "react";
import { ErrorNote } from "./error-note.tsx";
import { useAction } from "./use-action.ts";

interface NameFormProps {
  label: string;
  action: string;
  onSubmit: (name: string) => Promise<unknown>;
  onCancel?: (() => void) | undefined;
}

/** Asks for the name of something new. */
export function NameForm({ label, action, onSubmit, onCancel }: NameFormProps) {
  const [name, setName] = useState("");
  const { busy, error, run } = useAction();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => onSubmit(name));
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel?.();
      }}
    >
      <label>
        {label}
        <input
          value={name}
          required
          autoFocus
          maxLength={100}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <div className="buttons">
        <button className="primary" type="submit" disabled={busy}>
          {action}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
      <ErrorNote text={error} />
    </form>
  );
}
