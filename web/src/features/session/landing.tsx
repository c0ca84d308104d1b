import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { loginPath, registerPath } from "../../routes.ts";
import { buttonClass } from "../../ui/button.tsx";
import { InvitePreview } from "../invites/invite-preview.tsx";
import { anonymous } from "./anonymous.ts";
import { Entrance } from "./entrance.tsx";
import { EntranceTitle } from "./entrance-title.tsx";
import { GuestForm } from "./guest-form.tsx";
import { NoticeLine } from "./notice-line.tsx";
import { OrLine } from "./or-line.tsx";
import type { SessionNotice } from "./session-store.ts";

interface LandingProps {
  notice: SessionNotice | null;
  inviteCode: string | undefined;
}

/** What somebody sees first: in with one click, or with an account. */
export function Landing({ notice, inviteCode }: LandingProps) {
  const { t } = useTranslation("session");
  return (
    <Entrance>
      <NoticeLine notice={notice} />
      {inviteCode === undefined ? (
        <EntranceTitle title={t("comeIn")} />
      ) : (
        <InvitePreview client={anonymous} code={inviteCode} />
      )}
      <GuestForm label={inviteCode === undefined ? t("lookAround") : t("joinAsGuest")} />
      <OrLine>{t("orWithAccount")}</OrLine>
      <nav aria-label={t("withAccount")} className="grid grid-cols-2 gap-2">
        <Link href={loginPath()} className={buttonClass()}>
          {t("logIn")}
        </Link>
        <Link href={registerPath()} className={buttonClass()}>
          {t("register")}
        </Link>
      </nav>
    </Entrance>
  );
}
