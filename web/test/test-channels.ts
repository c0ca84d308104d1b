import type { ChannelState } from "@fanfare/contract";

const channel = (id: string, position: number, sectionId: string | null = null, kind = "text") =>
  ({ id, position, sectionId, kind }) as ChannelState;

/** "a b S(c d) T()": channels without a section, and two sections. */
export const TEST_CHANNELS = [
  channel("a", 0),
  channel("b", 1),
  channel("S", 0, null, "section"),
  channel("c", 0, "S"),
  channel("d", 1, "S"),
  channel("T", 1, null, "section"),
];
