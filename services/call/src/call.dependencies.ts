import type { NodeContext } from "@fanfare/kernel";
import { createCallRepository, type CallRepository } from "./call.repository.ts";
import { createLiveKit, type LiveKit } from "./livekit.ts";
import { createParticipantRepository, type ParticipantRepository } from "./participant.repository.ts";
import { createRingRepository, type RingRepository } from "./ring.repository.ts";
import { createRinging, type Ringing } from "./ringing.ts";
import { createSpeakers, type Speakers } from "./speakers.ts";
import { createTracking, type Tracking } from "./tracking.ts";

/** What the parts of this service need. */
export interface CallParts {
  node: NodeContext;
  livekit: LiveKit;
  calls: CallRepository;
  participants: ParticipantRepository;
  rings: RingRepository;
  /** Checks calls at this time, also if this process is gone by then. */
  checkAt: (at: Date) => Promise<void>;
  /** As `checkAt`, for rings. */
  stopRingsAt: (at: Date) => Promise<void>;
}

export interface CallDependencies extends CallParts {
  ringing: Ringing;
  speakers: Speakers;
  tracking: Tracking;
}

/** @returns null if no LiveKit server is configured */
export function createDependencies(
  node: NodeContext,
  jobs: Pick<CallParts, "checkAt" | "stopRingsAt">,
): CallDependencies | null {
  // Created in any case: all indexes exist before calls are turned on.
  const repositories = {
    calls: createCallRepository(node.database),
    participants: createParticipantRepository(node.database),
    rings: createRingRepository(node.database),
  };
  if (node.config.livekit === undefined) return null;
  const parts: CallParts = { node, livekit: createLiveKit(node.config.livekit), ...jobs, ...repositories };
  const ringing = createRinging(parts);
  return { ...parts, ringing, speakers: createSpeakers(node), tracking: createTracking(parts, ringing) };
}
