import { ROUTES } from "../routes.ts";

const KEY = "fanfare.wanted";
const ENTRANCES: readonly string[] = [ROUTES.login, ROUTES.register];

/** Where somebody wanted to go who has to log in first: kept in this tab, also on the way to another site and back. */
export function wantPlace(path: string): void {
  try {
    sessionStorage.setItem(KEY, path);
  } catch {
    // They begin at home.
  }
}

/** The code of the invite that they wanted to see; undefined where it was something else. */
export function wantedInvite(): string | undefined {
  try {
    return /^\/invite\/([\w-]+)$/.exec(sessionStorage.getItem(KEY) ?? "")?.[1];
  } catch {
    return undefined;
  }
}

/** That place, once; home where there is none. */
export function takeWantedPlace(): string {
  let path: string | null = null;
  try {
    path = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
  } catch {
    // A browser that keeps nothing.
  }
  return path !== null && isOwnPlace(path) ? path : ROUTES.landing;
}

export function isEntrance(path: string): boolean {
  return ENTRANCES.includes(path);
}

/** A path of this page, that does not lead back to the login. */
export function isOwnPlace(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && !isEntrance(path.split(/[?#]/)[0]!);
}
