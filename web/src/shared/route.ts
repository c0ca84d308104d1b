import { useSyncExternalStore } from "react";

export type Route = { page: "home"; groupId?: string; channelId?: string } | { page: "invite"; code: string };

/** Addresses are the gateway's for every path it does not know, so they can be bookmarked and reloaded. */
function parseRoute(pathname: string): Route {
  const [first, second, third, fourth] = pathname.split("/").filter((part) => part !== "");
  if (first === "invite" && second !== undefined) return { page: "invite", code: second };
  if (first !== "groups" || second === undefined) return { page: "home" };
  if (third !== "channels" || fourth === undefined) return { page: "home", groupId: second };
  return { page: "home", groupId: second, channelId: fourth };
}

export const invitePath = (code: string): string => `/invite/${code}`;
export const channelPath = (groupId: string, channelId: string): string =>
  `/groups/${groupId}/channels/${channelId}`;
export const groupPath = (groupId: string): string => `/groups/${groupId}`;

/** Goes to another page of the application, as a link would. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

export function useRoute(): Route {
  const pathname = useSyncExternalStore(subscribe, () => location.pathname);
  return parseRoute(pathname);
}

function subscribe(onChange: () => void): () => void {
  addEventListener("popstate", onChange);
  return () => removeEventListener("popstate", onChange);
}
