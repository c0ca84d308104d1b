import { LogOut } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { LoginLayout, LoginTitle } from "../../session/login-layout.tsx";
import { continueSession, logOut } from "../../session/session-store.ts";
import { TotpSection } from "./totp-section.tsx";

/** Shown instead of the application while a required second factor is missing. */
export function SecondFactorPage() {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { error, run } = useAction();
  const proceed = async () => {
    if ((await call("user.me", {})).user.totpEnabled) continueSession();
  };
  return (
    <LoginLayout>
      <LoginTitle title={t("totp.requiredTitle")} text={t("totp.requiredText")} />
      <TotpSection onClose={() => void run(proceed)} />
      <ErrorNote text={error} />
      <div>
        <Button variant="ghost" icon={LogOut} onClick={() => void logOut()}>
          {t("shell:logOut")}
        </Button>
      </div>
    </LoginLayout>
  );
}
