/*
 * All addresses of the application. The gateway serves the page for each of them, so they can be bookmarked and reloaded.
 */
/** Patterns for the router. */
export const ROUTES = {
  landing: "/",
  login: "/login",
  register: "/register",
  verifyEmail: "/verify-email",
  resetPassword: "/reset-password",
  unsubscribe: "/unsubscribe",
  setup: "/setup",
  invite: "/invite/:code",
  directory: "/find-groups",
  group: "/groups/:groupId",
  groupChannels: "/groups/:groupId/channels",
  channel: "/groups/:groupId/channels/:channelId",
  groupSettings: "/groups/:groupId/settings/:section?",
  friends: "/direct",
  direct: "/direct/:channelId",
  inbox: "/inbox",
  newMessage: "/new-message",
  settings: "/settings/:section?",
  admin: "/admin/:section?",
  status: "/status",
} as const;

/** What a channel's address can point to. */
export interface ChannelPlace {
  message?: string;
  thread?: string;
}

export const landingPath = (): string => "/";
export const loginPath = (): string => "/login";
export const registerPath = (): string => "/register";
export const resetPasswordPath = (): string => "/reset-password";
export const invitePath = (code: string): string => `/invite/${encodeURIComponent(code)}`;
export const directoryPath = (): string => "/find-groups";
export const groupPath = (groupId: string): string => `/groups/${groupId}`;
export const groupChannelsPath = (groupId: string): string => `/groups/${groupId}/channels`;
export const channelPath = (groupId: string, channelId: string, place: ChannelPlace = {}): string =>
  `/groups/${groupId}/channels/${channelId}${placeQuery(place)}`;
export const groupSettingsPath = (groupId: string, section = "overview"): string =>
  `/groups/${groupId}/settings/${section}`;
/** The friends page or a direct message. */
export const directPath = (channelId?: string, place: ChannelPlace = {}): string =>
  channelId === undefined ? "/direct" : `/direct/${channelId}${placeQuery(place)}`;
export const inboxPath = (): string => "/inbox";
export const settingsPath = (section = "profile"): string => `/settings/${section}`;
export const adminPath = (section = "overview"): string => `/admin/${section}`;
export const statusPath = (): string => "/status";
/** Pages of the documentation, which the gateway serves beside this client. */
export const USER_GUIDE = "/docs/use/";
export const ADMIN_GUIDE = "/docs/run/";
export const PLUGIN_GUIDE = "/docs/build/plugins.html";

/** The address of any channel; `groupId` is null for a direct message. */
export function placePath(groupId: string | null, channelId: string, place: ChannelPlace = {}): string {
  return groupId === null ? directPath(channelId, place) : channelPath(groupId, channelId, place);
}

/** Parses the query of a channel's address and ignores invalid IDs. */
export function parsePlace(search: string): ChannelPlace {
  const query = new URLSearchParams(search);
  const place: ChannelPlace = {};
  for (const name of ["message", "thread"] as const) {
    const id = query.get(name);
    if (id !== null && /^[0-9a-f]{24}$/.test(id)) place[name] = id;
  }
  return place;
}

/** Parses the fragment, such as `#oidcCode=…`, for values that must not reach the server or its logs. */
export function parseFragment(hash: string): URLSearchParams {
  return new URLSearchParams(hash.startsWith("#") ? hash.slice(1) : hash);
}

function placeQuery({ message, thread }: ChannelPlace): string {
  const query = new URLSearchParams();
  if (thread !== undefined) query.set("thread", thread);
  if (message !== undefined) query.set("message", message);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
