import type { FanfareClient } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { loginPath, registerPath } from "../routes.ts";
import { errorText } from "../shared/use-action.ts";
import { buttonClass } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { Form } from "../ui/form.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useForm } from "../ui/use-form.ts";
import { InvitedGroup } from "../groups/invites/invited-group.tsx";
import { meanToJoin } from "../groups/invites/meant-invite.ts";
import { anonymous } from "./oidc.ts";
import { EntranceTitle, NoticeLine } from "./outcome.tsx";
import { Entrance } from "./entrance.tsx";
import { OidcButton, OrLine } from "./oidc-button.tsx";
import { useWaysIn } from "./server-meta.ts";
import { type SessionNotice, logIn } from "./session-store.ts";

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

/** What an invite leads to; needs no login. Who logs in from here has decided to join. */
function InvitePreview({ client, code }: { client: FanfareClient; code: string }) {
  const [group, setGroup] = useState<Result<"invite.preview">["group"] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    client.call("invite.preview", { code }).then(
      (preview) => shown && setGroup(preview.group),
      (failure: unknown) => shown && setError(errorText(failure)),
    );
    return () => {
      shown = false;
    };
  }, [client, code]);
  const isGood = group !== null;
  useEffect(() => {
    if (isGood) meanToJoin(code);
  }, [isGood, code]);
  if (error !== null) return <ErrorNote text={error} />;
  return (
    <div className="rounded-lg bg-accent-soft p-5" role="status">
      <InvitedGroup group={group} />
    </div>
  );
}

/** In with one click; a name is welcome. */
function GuestForm({ label }: { label: string }) {
  const { t } = useTranslation("session");
  const form = useForm({
    initial: { nickname: "" },
    submit: ({ nickname }) => {
      const name = nickname.trim();
      return logIn((client) => client.createGuest(name === "" ? {} : { nickname: name }));
    },
  });
  return (
    <Form form={form} action={label} wide>
      <TextField
        label={t("yourName")}
        name="nickname"
        maxLength={32}
        autoComplete="nickname"
        {...form.field("nickname")}
      />
    </Form>
  );
}
