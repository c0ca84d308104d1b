import type { Invite } from "@fanfare/contract";
import { useEffect, useRef, useState } from "react";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useInvites } from "../../data/moderation.ts";

const DAY_MS = 24 * 60 * 60_000;
/** How long the link is good that is made without asking. */
const DEFAULT_MAX_AGE_MS = 7 * DAY_MS;

export interface CurrentInvite {
  /** Null until there is one. */
  invite: Invite | null;
  error: unknown;
  retry: () => void;
  /** Shows another one. */
  choose: (invite: Invite) => void;
}

/** An invite to show: one's own that is still good for a while and for everybody, or else a new one. */
export function useCurrentInvite(groupId: string): CurrentInvite {
  const call = useCall();
  const me = useMe();
  const { data: invites, error: loadError, refetch } = useInvites(groupId);
  const [chosen, setChosen] = useState<Invite | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const isMaking = useRef(false);
  const isRevoked = chosen !== null && invites?.every(({ code }) => code !== chosen.code) === true;
  const invite = (isRevoked ? null : chosen) ?? invites?.findLast((held) => isShareable(held, me.id)) ?? null;
  const needsOne = invites !== undefined && invite === null && failure === null;
  useEffect(() => {
    if (!needsOne || isMaking.current) return;
    isMaking.current = true;
    call("invite.create", { groupId, maxAgeMs: DEFAULT_MAX_AGE_MS })
      .then(({ invite: made }) => setChosen(made), setFailure)
      .finally(() => (isMaking.current = false));
  }, [needsOne, call, groupId]);
  return {
    invite,
    error: loadError ?? failure,
    retry: () => {
      setFailure(null);
      if (invites === undefined) void refetch();
    },
    choose: setChosen,
  };
}

function isShareable({ createdBy, maxUses, expiresAt }: Invite, ownId: string): boolean {
  const isLasting = expiresAt === null || Date.parse(expiresAt) > Date.now() + DAY_MS;
  return createdBy === ownId && maxUses === null && isLasting;
}
