/** Names of the rooms that sockets are gathered in. */
export const userRoom = (userId: string): string => `user:${userId}`;
export const groupRoom = (groupId: string): string => `group:${groupId}`;
