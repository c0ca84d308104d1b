import { FanfareClient } from "@fanfare/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { InvitePreview } from "../invites/invite-preview.tsx";
import { AccountForm } from "./account-form.tsx";
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
    <main id="main" className="flex min-h-dvh bg-sidebar">
      <div className="m-auto grid w-full max-w-md gap-5 px-5 py-10">
        <header className="grid justify-items-center gap-2 text-center">
          <img src="/favicon.svg" alt="" width="56" height="56" />
          <h1 className="text-3xl font-bold tracking-tight">Fanfare</h1>
          <p className="text-muted">{t("tagline")}</p>
        </header>
        {notice !== null && (
          <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
            {notice === "updated" ? t("updated") : t("sessionEnded")}
          </p>
        )}
        {inviteCode !== undefined && <InvitePreview client={anonymous} code={inviteCode} />}
        <div className="grid gap-5 rounded-lg border border-line bg-canvas p-5 md:p-6">
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
        </div>
      </div>
    </main>
  );
}
