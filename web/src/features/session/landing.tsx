import { FanfareClient } from "@fanfare/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { InvitePreview } from "../invites/invite-preview.tsx";
import { AccountForm } from "./account-form.tsx";
import { Entrance } from "./entrance.tsx";
import { GuestForm } from "./guest-form.tsx";
import type { SessionNotice } from "./session-store.ts";

type Way = "register" | "login";

const anonymous = new FanfareClient({ url: location.origin });

/** What somebody sees who is not logged in. */
export function Landing({
  notice,
  inviteCode,
}: {
  notice: SessionNotice | null;
  inviteCode: string | undefined;
}) {
  const { t } = useTranslation("session");
  const [way, setWay] = useState<Way | null>(null);
  return (
    <Entrance>
      {notice !== null && (
        <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
          {notice === "updated" ? t("updated") : t("sessionEnded")}
        </p>
      )}
      {inviteCode === undefined ? (
        <h2 className="text-xl font-semibold">{t("comeIn")}</h2>
      ) : (
        <InvitePreview client={anonymous} code={inviteCode} />
      )}
      <GuestForm label={inviteCode === undefined ? t("lookAround") : t("joinAsGuest")} />
      <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t("orWithAccount")}
      </p>
      <div role="group" aria-label={t("withAccount")} className="grid grid-cols-2 gap-2">
        <Button aria-pressed={way === "login"} onClick={() => setWay("login")}>
          {t("logIn")}
        </Button>
        <Button aria-pressed={way === "register"} onClick={() => setWay("register")}>
          {t("register")}
        </Button>
      </div>
      {way !== null && <AccountForm key={way} way={way} />}
    </Entrance>
  );
}
