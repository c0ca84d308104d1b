export const userRoom = (userId: string): string => `user:${userId}`;
export const userOfRoom = (room: string): string | null => (room.startsWith("user:") ? room.slice(5) : null);
export const groupRoom = (groupId: string): string => `group:${groupId}`;
/** Prefix of the rooms of private channels. */
export const CHANNEL_ROOMS = "channel:";
/** The viewers of a private channel. Each change of its viewers gets a new room. */
export const channelRoom = (channelId: string, times: number): string =>
  `${CHANNEL_ROOMS}${channelId}:${times}`;
/** Prefix of the rooms of roles. */
export const ROLE_ROOMS = "role:";
/** The members with a role. Nothing is published to it: it selects sockets that join or leave other rooms. */
export const roleRoom = (roleId: string): string => `${ROLE_ROOMS}${roleId}`;
/** The watchers of a user's presence. */
export const presenceRoom = (userId: string): string => `presence:${userId}`;
