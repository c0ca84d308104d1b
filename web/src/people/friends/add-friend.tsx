import { LIMITS } from "@fanfare/contract/limits";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { errorText } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { isNotReachable } from "./is-not-reachable.ts";

export const ADD_FRIEND_ID = "add-friend";

/** Asks somebody by username; says why where that cannot be. */
export function AddFriend() {
  const { t } = useTranslation("friends");
  const call = useCall();
  const me = useMe();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const username = name.trim().replace(/^@/, "").toLowerCase();
  const ask = async () => {
    if (username === "" || busy) return;
    if (username === me.username) return setError(t("add.self"));
    setBusy(true);
    try {
      const { state } = await call("friend.request", { username });
      setName("");
      showToast({ text: t(`add.${state}`, { name: username }), tone: "good" });
    } catch (failure) {
      setError(isNotReachable(failure) ? t("add.refused") : errorText(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <TextField
        id={ADD_FRIEND_ID}
        label={t("add.label")}
        placeholder={t("add.placeholder")}
        hint={t("add.hint", { username: me.username })}
        error={error}
        value={name}
        onChange={(text) => {
          setName(text);
          setError(undefined);
        }}
        maxLength={LIMITS.usernameMaxChars + 1}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        after={
          <Button
            type="submit"
            variant="primary"
            busy={busy}
            disabled={username === ""}
            icon={<UserPlus size={16} aria-hidden />}
          >
            {t("add.action")}
          </Button>
        }
      />
    </form>
  );
}
