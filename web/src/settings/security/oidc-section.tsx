import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useAction } from "../../shared/use-action.ts";
import { Badge } from "../../ui/display.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { canUseOidc, clearOidcReturn, oidcFailure, oidcReturn, startOidc } from "../../session/oidc.tsx";
import { useServerMeta } from "../../session/server-meta.ts";
import { Section } from "../section.tsx";
import { PasswordDialog } from "./password-dialog.tsx";

export function OidcSection() {
  const { t } = useTranslation("settings");
  const { oidcLinked, hasPassword } = useMe();
  const hasProvider = useServerMeta()?.oidcLogin === true;
  const call = useCall();
  const [back, setBack] = useState(() => oidcReturn("link"));
  const [isUnlinking, setUnlinking] = useState(false);
  const { busy, error, run } = useAction();
  useEffect(clearOidcReturn, []);
  if (!oidcLinked && (!hasProvider || !canUseOidc)) return null;
  return (
    <Section title={t("oidc.title")} text={t("oidc.text")}>
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone={oidcLinked ? "good" : "neutral"}>
          {oidcLinked ? t("oidc.linked") : t("oidc.notLinked")}
        </Badge>
        {oidcLinked ? (
          <Button disabled={!hasPassword} onClick={() => setUnlinking(true)}>
            {t("oidc.unlink")}
          </Button>
        ) : (
          <Button
            disabled={!hasPassword}
            busy={busy}
            onClick={() => void run(() => startOidc({ purpose: "link", stay: true }))}
          >
            {t("oidc.link")}
          </Button>
        )}
      </div>
      {!hasPassword && <p className="text-sm text-muted">{t("oidc.needsPassword")}</p>}
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
      {isUnlinking && (
        <PasswordDialog
          title={t("oidc.unlink")}
          text={t("oidc.unlinkText")}
          onClose={() => setUnlinking(false)}
          submit={(password) => call("user.unlinkOidc", { password })}
        />
      )}
    </Section>
  );
}
