import i18next from "i18next";
import { FanfareClient } from "@fanfare/client";
import type { Meta } from "@fanfare/contract";
import { parseFragment, ROUTES } from "../routes.ts";
import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type ReactNode, useEffect } from "react";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { keepTrip, type OidcReturn, type OidcTrip } from "./oidc-return.ts";
import { useServerMeta } from "./server-meta.ts";

const VERIFIER_BYTES = 32;

/** Web Crypto requires https or localhost. */
const canUseOidc = window.isSecureContext;

/** Redirects to the provider, which returns to the login page. */
export async function startOidc(
  provider: string,
  { purpose, stay }: Omit<OidcTrip, "verifier">,
): Promise<void> {
  const verifier = toBase64Url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  keepTrip({ verifier, purpose, stay });
  const fresh = purpose === "login" || purpose === "link" ? "" : "&fresh=1";
  const challenge = toBase64Url(new Uint8Array(hash));
  location.assign(`/auth/oidc/start?provider=${provider}&challenge=${challenge}${fresh}`);
}

let startedAt = readStart();

/** The provider at which a login was started, if it sent the user here for it. */
function readStart(): string | null {
  if (location.pathname !== ROUTES.login) return null;
  const provider = parseFragment(location.hash).get("oidcStart");
  if (provider !== null) history.replaceState(history.state, "", location.pathname);
  return provider;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The error message; null on success. */
export function oidcFailure(back: OidcReturn | null): string | null {
  if (back === null || "oidcCode" in back) return null;
  const textKey = `shared:error.${back.errorCode}`;
  return i18next.exists(textKey) ? i18next.t(textKey) : i18next.t("shared:error.OIDC_FAILED");
}

/** For calls that need no login. */
export const anonymous = new FanfareClient({ url: location.origin });

interface OidcButtonsProps {
  stay: boolean;
  /** There is no other way to log in. */
  isOnly?: boolean;
  /** Whether a line separates it from what is above. */
  hasLine?: boolean;
}

/** The OIDC and SAML providers that this browser can log in with. */
export function useOidcProviders(): Meta["oidcProviders"] {
  const providers = useServerMeta()?.oidcProviders;
  return (canUseOidc && providers) || [];
}

/** Continues a login that was started at a provider: the server only accepts those that this page starts. */
export function useLoginStartedAtProvider(): void {
  const provider = useOidcProviders().find(({ id }) => id === startedAt)?.id;
  useEffect(() => {
    if (provider === undefined) return;
    startedAt = null;
    void startOidc(provider, { purpose: "login", stay: true });
  }, [provider]);
}

/** Sign-in with each OIDC or SAML provider that is configured. */
export function OidcButtons({ stay, isOnly = false, hasLine = !isOnly }: OidcButtonsProps) {
  const { t } = useTranslation("session");
  const providers = useOidcProviders();
  const { busy, error, run } = useAction();
  if (providers.length === 0) return null;
  return (
    <>
      {hasLine && <OrLine>{t("or")}</OrLine>}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          wide
          variant={isOnly ? "primary" : "secondary"}
          busy={busy}
          icon={KeyRound}
          onClick={() => void run(() => startOidc(id, { purpose: "login", stay }))}
        >
          {name === null ? t("oidc.logIn") : t("oidc.logInWith", { name })}
        </Button>
      ))}
      <ErrorNote text={error} />
    </>
  );
}

export function OrLine({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {children}
    </p>
  );
}
