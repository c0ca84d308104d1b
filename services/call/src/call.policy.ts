import { userOfRoom } from "@fanfare/contract";
import { can, type Access } from "@fanfare/kernel";
import { TrackSource } from "livekit-server-sdk";

/** What a user can publish in a call. Group members who are muted can't be heard in any way, and so share screens without sound. */
export function publishableSources(
  access: Access,
  { isMutedByModerator, nowMs }: { isMutedByModerator: boolean; nowMs: number },
): TrackSource[] {
  const canSpeak = can(access, "speak") && !isMutedByModerator && access.mutedUntilMs <= nowMs;
  const canShare = can(access, "shareScreen");
  return [
    ...(canSpeak ? [TrackSource.MICROPHONE] : []),
    ...(can(access, "video") ? [TrackSource.CAMERA] : []),
    ...(canShare ? [TrackSource.SCREEN_SHARE] : []),
    ...(canShare && canSpeak ? [TrackSource.SCREEN_SHARE_AUDIO] : []),
  ];
}

/** Whether a user can be in a call at all. */
export function canConnect(access: Access): boolean {
  return can(access, "view") && can(access, "connect");
}

/** The users of a direct channel: its rooms are theirs. */
export const directMembers = ({ rooms }: Pick<Access, "rooms">): string[] =>
  rooms.map(userOfRoom).filter((userId) => userId !== null);

const ROOM = /^fanfare_([0-9a-f]{24})$/;

/** LiveKit's name for a call. Not that of the channel: an old token must not fit the channel's next call. */
export const roomOf = (callId: string): string => `fanfare_${callId}`;
/** @returns null for a room that isn't a call of Fanfare */
export const callOfRoom = (room: string): string | null => ROOM.exec(room)?.[1] ?? null;
