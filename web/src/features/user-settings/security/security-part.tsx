import { useMe } from "../../../data/me.ts";
import { OidcSection } from "./oidc-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { TokensSection } from "./tokens-section.tsx";
import { TotpSection } from "./totp-section.tsx";

/** What keeps the account its owner's. */
export function SecurityPart() {
  const isGuest = useMe().kind === "guest";
  return (
    <>
      {!isGuest && <TotpSection />}
      {!isGuest && <OidcSection />}
      <SessionsSection />
      <TokensSection />
    </>
  );
}
