import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useAction } from "../../shared/use-action.ts";
import { Badge } from "../../ui/display.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { openDialog } from "../../ui/open-dialog.tsx";
import { clearOidcReturn, oidcReturn } from "../../session/oidc-return.ts";
import { oidcFailure, startOidc, useOidcProviders } from "../../session/oidc.tsx";
import { Section } from "../section.tsx";
import { PasswordDialog } from "./password-dialog.tsx";

export function OidcSection() {
  const { t } = useTranslation("settings");
  const { oidcProviders, hasPassword } = useMe();
  const usable = useOidcProviders();
  // One that the server no longer has can only be disconnected.
  const former = oidcProviders.filter((linked) => usable.every(({ id }) => id !== linked));
  const providers = [...usable, ...former.map((id) => ({ id, name: null }))];
  const call = useCall();
  const [back, setBack] = useState(() => oidcReturn("link"));
  const { busy, error, run } = useAction();
  useEffect(clearOidcReturn, []);
  if (providers.length === 0) return null;
  const unlink = (provider: string) =>
    openDialog((onClose) => (
      <PasswordDialog
        title={t("oidc.unlink")}
        text={t("oidc.unlinkText")}
        onClose={onClose}
        submit={(password) => call("user.unlinkOidc", { password, provider })}
      />
    ));
  return (
    <Section title={t("oidc.title")} text={t("oidc.text")}>
      {providers.map(({ id, name }) => {
        const isLinked = oidcProviders.includes(id);
        return (
          <div key={id} className="flex flex-wrap items-center gap-3">
            {name !== null && <span className="font-medium">{name}</span>}
            <Badge tone={isLinked ? "good" : "neutral"}>
              {isLinked ? t("oidc.linked") : t("oidc.notLinked")}
            </Badge>
            {isLinked ? (
              <Button disabled={!hasPassword} onClick={() => unlink(id)}>
                {t("oidc.unlink")}
              </Button>
            ) : (
              <Button
                disabled={!hasPassword}
                busy={busy}
                onClick={() => void run(() => startOidc(id, { purpose: "link", stay: true }))}
              >
                {t("oidc.link")}
              </Button>
            )}
          </div>
        );
      })}
      {!hasPassword && <p className="text-sm text-muted">{t("totp.needsPassword")}</p>}
      <ErrorNote text={error ?? oidcFailure(back)} />
      {back !== null && "oidcCode" in back && (
        <PasswordDialog
          title={t("oidc.link")}
          text={t("oidc.linkText")}
          onClose={() => setBack(null)}
          submit={(password) =>
            call("user.linkOidc", { oidcCode: back.oidcCode, verifier: back.trip.verifier, password })
          }
        />
      )}
    </Section>
  );
}
