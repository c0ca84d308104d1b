import { useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useAction } from "../../shared/use-action.ts";
import { logIn } from "./session-store.ts";

/** Name and password, to log in or to make an account. */
export function AccountForm({ way }: { way: "register" | "login" }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const { busy, error, run } = useAction();
  const isNew = way === "register";
  const enter = () =>
    run(() =>
      logIn((client) =>
        isNew ? client.register({ username, password }) : client.login({ username, password }),
      ),
    );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <label>
        {isNew ? "Username" : "Username or e-mail address"}
        <input
          name="username"
          value={username}
          required
          autoFocus
          autoCapitalize="none"
          autoComplete="username"
          onChange={(event) => setUsername(event.target.value)}
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          value={password}
          required
          minLength={isNew ? 8 : undefined}
          maxLength={128}
          autoComplete={isNew ? "new-password" : "current-password"}
          onChange={(event) => setPassword(event.target.value)}
        />
      </label>
      {isNew && <p className="hint">At least 8 characters: a few words in a row are a good password.</p>}
      <button className="primary" type="submit" disabled={busy}>
        {isNew ? "Register" : "Log in"}
      </button>
      <ErrorNote text={error} />
    </form>
  );
}
