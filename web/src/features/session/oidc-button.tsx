import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { canUseOidc, startOidc } from "./oidc.ts";
import { OrLine } from "./or-line.tsx";
import { useServerMeta } from "./server-meta.ts";

/** Sign-in at the OIDC provider, where one is configured. `isOnly`: no other way to log in is shown. */
export function OidcButton({ stay, isOnly = false }: { stay: boolean; isOnly?: boolean }) {
  const { t } = useTranslation("session");
  const hasProvider = useServerMeta()?.oidcLogin === true;
  const { busy, error, run } = useAction();
  if (!hasProvider || !canUseOidc) return null;
  return (
    <>
      {!isOnly && <OrLine>{t("or")}</OrLine>}
      <Button
        wide
        variant={isOnly ? "primary" : "secondary"}
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
