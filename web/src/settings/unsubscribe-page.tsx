import { CircleCheck, Link2Off, MailX } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { loginPath, settingsPath } from "../routes.ts";
import { useBranding } from "../session/branding.ts";
import { LoginLayout, Outcome } from "../session/login-layout.tsx";
import { anonymous } from "../session/oidc.tsx";
import { useAction, isErrorOf } from "../shared/use-action.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";

interface UnsubscribePageProps {
  isLoggedIn: boolean;
}

/** The link in emails about missed messages, with or without a login. Mail scanners open it too, so it asks first. */
export function UnsubscribePage({ isLoggedIn }: UnsubscribePageProps) {
  const token = new URLSearchParams(location.search).get("token");
  return (
    <LoginLayout>
      <Unsubscribing token={token} isLoggedIn={isLoggedIn} />
    </LoginLayout>
  );
}

function Unsubscribing({ token, isLoggedIn }: UnsubscribePageProps & { token: string | null }) {
  const { t } = useTranslation("settings");
  const { name } = useBranding();
  const { busy, error, run } = useAction();
  const [result, setResult] = useState<"done" | "invalid" | null>(null);
  if (token === null || result === "invalid") {
    return (
      <Outcome
        icon={Link2Off}
        tone="danger"
        title={t("session:invalidLink")}
        text={t("session:verify.noLinkText")}
      />
    );
  }
  if (result === "done") {
    return (
      <Outcome icon={CircleCheck} title={t("unsubscribe.done")} text={t("unsubscribe.doneText")}>
        <Link
          href={isLoggedIn ? settingsPath("notifications") : loginPath()}
          className={buttonClass({ wide: true })}
        >
          {isLoggedIn ? t("session:continue", { name }) : t("session:logIn")}
        </Link>
      </Outcome>
    );
  }
  const turnOff = async () => {
    try {
      await anonymous.call("notification.unsubscribe", { token });
      setResult("done");
    } catch (failure) {
      if (!isErrorOf(failure, "INVALID_LINK")) throw failure;
      setResult("invalid");
    }
  };
  return (
    <Outcome icon={MailX} title={t("unsubscribe.title")} text={t("unsubscribe.text")}>
      <Button variant="primary" wide busy={busy} onClick={() => void run(turnOff)}>
        {t("unsubscribe.action")}
      </Button>
      <ErrorNote text={error} />
    </Outcome>
  );
}
