import { useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useAction } from "../../shared/use-action.ts";
import { logIn } from "./session-store.ts";

export function GuestForm({ label }: { label: string }) {
  const [nickname, setNickname] = useState("");
  const { busy, error, run } = useAction();
  const enter = () => {
    const name = nickname.trim();
    return run(() => logIn((client) => client.createGuest(name === "" ? {} : { nickname: name })));
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <label>
        <span>
          Your name <span className="optional">(optional)</span>
        </span>
        <input
          name="nickname"
          value={nickname}
          maxLength={32}
          autoComplete="nickname"
          onChange={(event) => setNickname(event.target.value)}
        />
      </label>
      <button className="primary" type="submit" disabled={busy}>
        {label}
      </button>
      <ErrorNote text={error} />
    </form>
  );
}
