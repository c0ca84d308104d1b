/** The same string for two users whichever of them asks. */
export function pairOf(userId: string, otherUserId: string): string {
  return [userId, otherUserId].sort().join(":");
}
