import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ReactNode } from "react";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { canUseOidc, startOidc } from "./oidc.ts";
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

/** Between two ways in. */
export function OrLine({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {children}
    </p>
  );
}
