import { parseFragment, ROUTES } from "../routes.ts";

/** Changes of an account without a password, for which the provider must authenticate the user again. */
export type ConfirmedChange = "setUpTotp" | "turnOffTotp" | "deleteAccount";

/** A round trip to the provider. */
export interface OidcTrip {
  /** Proves that this page started the login. Only its hash leaves the browser until then. */
  verifier: string;
  purpose: "login" | "link" | ConfirmedChange;
  stay: boolean;
}

/** The result of a login at the provider; `errorCode` is one of `ERRORS`. */
export type OidcReturn = { trip: OidcTrip; oidcCode: string } | { trip: OidcTrip | null; errorCode: string };

const KEY = "fanfare.oidc";

let returned = readReturn();

/** The unused result for this purpose. The code can only be used once. */
export function oidcReturn(purpose: OidcTrip["purpose"]): OidcReturn | null {
  return returned !== null && purposeOf(returned) === purpose ? returned : null;
}

export function clearOidcReturn(): void {
  returned = null;
}

/** The section of the settings that sent a logged-in user to the provider. */
export function sectionOfReturn(): "security" | "data" | null {
  const purpose = returned === null ? "login" : purposeOf(returned);
  if (purpose === "login") return null;
  return purpose === "deleteAccount" ? "data" : "security";
}

function purposeOf(back: OidcReturn): OidcTrip["purpose"] {
  return back.trip?.purpose ?? "login";
}

/** Removes the result from the address, so that it isn't kept in the history. */
function readReturn(): OidcReturn | null {
  if (location.pathname !== ROUTES.login) return null;
  const fragment = parseFragment(location.hash);
  const [oidcCode, errorCode] = [fragment.get("oidcCode"), fragment.get("oidcError")];
  if (oidcCode === null && errorCode === null) return null;
  history.replaceState(history.state, "", location.pathname);
  const trip = readTrip();
  if (trip !== null && oidcCode !== null) return { trip, oidcCode };
  return { trip, errorCode: errorCode ?? "OIDC_FAILED" };
}

/** For when the user is back from the provider. */
export function keepTrip(trip: OidcTrip): void {
  sessionStorage.setItem(KEY, JSON.stringify(trip));
}

function readTrip(): OidcTrip | null {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return text === null ? null : (JSON.parse(text) as OidcTrip);
  } catch {
    return null;
  }
}
