/** Names of the rooms that sockets are gathered in. */
export const userRoom = (userId: string): string => `user:${userId}`;
export const userOfRoom = (room: string): string | null => (room.startsWith("user:") ? room.slice(5) : null);
export const groupRoom = (groupId: string): string => `group:${groupId}`;
/** Those who watch the presence of a user. */
export const presenceRoom = (userId: string): string => `presence:${userId}`;
