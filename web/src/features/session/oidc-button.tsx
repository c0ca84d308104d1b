import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { canUseOidc, startOidc } from "./oidc.ts";
import { OrLine } from "./or-line.tsx";
import { useServerMeta } from "./server-meta.ts";

/** The way in by the provider, where the server has one. */
export function OidcButton({ stay }: { stay: boolean }) {
  const { t } = useTranslation("session");
  const hasProvider = useServerMeta()?.oidcLogin === true;
  const { busy, error, run } = useAction();
  if (!hasProvider || !canUseOidc) return null;
  return (
    <>
      <OrLine>{t("or")}</OrLine>
      <Button
        wide
        busy={busy}
        icon={<KeyRound size={16} aria-hidden />}
        onClick={() => void run(() => startOidc({ purpose: "login", stay }))}
      >
        {t("oidc.logIn")}
      </Button>
      <ErrorNote text={error} />
    </>
  );
}
