import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../../data/me.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Section } from "../section.tsx";
import { TotpOffDialog } from "./totp-off-dialog.tsx";
import { TotpSetupDialog } from "./totp-setup-dialog.tsx";

/** The second factor: a code of an authenticator app at each login. */
export function TotpSection() {
  const { t } = useTranslation("user-settings");
  const { totpEnabled, hasPassword } = useMe();
  const [open, setOpen] = useState<"setUp" | "off" | null>(null);
  const close = () => setOpen(null);
  return (
    <Section title={t("totp.title")} text={t("totp.text")}>
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone={totpEnabled ? "good" : "neutral"}>{totpEnabled ? t("totp.on") : t("totp.off")}</Badge>
        {totpEnabled ? (
          <Button onClick={() => setOpen("off")}>{t("totp.turnOff")}</Button>
        ) : (
          <Button disabled={!hasPassword} onClick={() => setOpen("setUp")}>
            {t("totp.setUp")}
          </Button>
        )}
      </div>
      {!hasPassword && <p className="text-sm text-muted">{t("totp.needsPassword")}</p>}
      {open === "setUp" && <TotpSetupDialog onClose={close} />}
      {open === "off" && <TotpOffDialog onClose={close} />}
    </Section>
  );
}
