import { ROUTES } from "../routes.ts";

const KEY = "fanfare.requestedPath";
const LOGIN_PATHS: readonly string[] = [ROUTES.login, ROUTES.register];

/** Remembers the requested page in this tab until the login, also across a redirect to an OIDC provider. */
export function rememberRequestedPath(path: string): void {
  try {
    sessionStorage.setItem(KEY, path);
  } catch {
    // Without storage, the login leads to the home page.
  }
}

/** The invite code of the requested page, if it is an invite. */
export function requestedInvite(): string | undefined {
  try {
    return /^\/invite\/([\w-]+)$/.exec(sessionStorage.getItem(KEY) ?? "")?.[1];
  } catch {
    return undefined;
  }
}

/** Returns the requested page and forgets it; the home page if there is none. */
export function takeRequestedPath(): string {
  let path: string | null = null;
  try {
    path = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
  } catch {
    // No browser storage.
  }
  return path !== null && isOwnPath(path) ? path : ROUTES.landing;
}

export function isLoginPath(path: string): boolean {
  return LOGIN_PATHS.includes(path);
}

/** Whether it is a path of this application other than the login pages. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && !isLoginPath(path.split(/[?#]/)[0]!);
}
