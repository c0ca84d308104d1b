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
import { OidcButton } from "./oidc-button.tsx";
import { OrLine } from "./or-line.tsx";
import { useWaysIn } from "./server-meta.ts";
import type { SessionNotice } from "./session-store.ts";

interface LandingProps {
  notice: SessionNotice | null;
  inviteCode: string | undefined;
}

/** The first page: the ways in that this server offers. */
export function Landing({ notice, inviteCode }: LandingProps) {
  const { t } = useTranslation("session");
  const ways = useWaysIn();
  return (
    <Entrance>
      <NoticeLine notice={notice} />
      {inviteCode === undefined ? (
        <EntranceTitle title={t("comeIn")} />
      ) : (
        <InvitePreview client={anonymous} code={inviteCode} />
      )}
      {ways !== null && (
        <>
          {ways.guest && (
            <>
              <GuestForm label={inviteCode === undefined ? t("lookAround") : t("joinAsGuest")} />
              <OrLine>{t("orWithAccount")}</OrLine>
            </>
          )}
          {ways.password ? (
            <nav aria-label={t("withAccount")} className="grid auto-cols-fr grid-flow-col gap-2">
              <Link href={loginPath()} className={buttonClass(ways.guest ? {} : { variant: "primary" })}>
                {t("logIn")}
              </Link>
              {ways.register && (
                <Link href={registerPath()} className={buttonClass()}>
                  {t("register")}
                </Link>
              )}
            </nav>
          ) : (
            <OidcButton stay isOnly />
          )}
        </>
      )}
    </Entrance>
  );
}
