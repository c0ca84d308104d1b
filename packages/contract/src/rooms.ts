/** Names of the rooms that sockets are gathered in. */
export const userRoom = (userId: string): string => `user:${userId}`;
export const userOfRoom = (room: string): string | null => (room.startsWith("user:") ? room.slice(5) : null);
export const groupRoom = (groupId: string): string => `group:${groupId}`;
/** How the name of every private channel's room begins. */
export const CHANNEL_ROOMS = "channel:";
/** Those who see a private channel. Who sees it has changed so many times: each time gets a room of its own. */
export const channelRoom = (channelId: string, times: number): string =>
  `${CHANNEL_ROOMS}${channelId}:${times}`;
/** How the name of every role's room begins. */
export const ROLE_ROOMS = "role:";
/** Those who have a role. Nothing is published to it: it stands for them where others join or leave a room. */
export const roleRoom = (roleId: string): string => `${ROLE_ROOMS}${roleId}`;
/** Those who watch the presence of a user. */
export const presenceRoom = (userId: string): string => `presence:${userId}`;
