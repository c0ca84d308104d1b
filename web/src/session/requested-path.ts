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

interface RequestedInvite {
  code: string;
  /** Of an emailed link: proves that the user has received the email. */
  token: string | undefined;
  /** The address that the link was emailed to. */
  email: string | undefined;
}

/** The invite of the requested page, if it is one. */
export function requestedInvite(): RequestedInvite | undefined {
  try {
    const path = sessionStorage.getItem(KEY) ?? "";
    return inviteOf(path);
  } catch {
    return undefined;
  }
}

export function inviteOf(path: string): RequestedInvite | undefined {
  const [, code, fragment] = /^\/invite\/([\w-]+)(?:#(.*))?$/.exec(path) ?? [];
  if (code === undefined) return undefined;
  const parts = new URLSearchParams(fragment);
  return { code, token: parts.get("token") ?? undefined, email: parts.get("email") ?? undefined };
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
  const [page = ""] = path?.split("#") ?? [];
  return isOwnPath(page) ? page : ROUTES.landing;
}

export function isLoginPath(path: string): boolean {
  return LOGIN_PATHS.includes(path);
}

/** Whether it is a path of this application other than the login pages. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && !isLoginPath(path.split(/[?#]/)[0]!);
}
