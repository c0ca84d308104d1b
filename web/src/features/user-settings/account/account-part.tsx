import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../../data/me.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { ClaimDialog } from "../../session/claim-dialog.tsx";
import { Section } from "../section.tsx";
import { EmailSection } from "./email-section.tsx";
import { PasswordSection } from "./password-section.tsx";

/** How somebody logs in. */
export function AccountPart() {
  const { t } = useTranslation("user-settings");
  const { username } = useMe();
  const [isClaiming, setClaiming] = useState(false);
  if (username === null) {
    return (
      <Section title={t("account.guest")} text={t("account.guestText")}>
        <div>
          <Button variant="primary" onClick={() => setClaiming(true)}>
            {t("account.claim")}
          </Button>
        </div>
        {isClaiming && <ClaimDialog onClose={() => setClaiming(false)} />}
      </Section>
    );
  }
  return (
    <>
      <TextField
        label={t("account.username")}
        hint={t("account.usernameHint")}
        value={username}
        readOnly
        autoComplete="off"
      />
      <EmailSection />
      <PasswordSection />
    </>
  );
}
