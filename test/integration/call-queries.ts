import { createWorld, must } from "@fanfare/testing";
import mongoose from "mongoose";
import { expect, vi } from "vitest";
import { joinCall } from "../../services/call/test/support.ts";

const PAST = new Date(0);
const CHECKED = { timeout: 30_000 };

/** Runs the database queries of calls, rings and what is checked later. Needs a LiveKit server. */
export async function exerciseCalls(url: string, mongoUrl: string): Promise<void> {
  // A connection of its own: its queries are not the server's.
  const database = await mongoose.createConnection(mongoUrl, { dbName: "fanfare" }).asPromise();
  try {
    await exercise(url, database);
  } finally {
    await database.close();
  }
}

async function exercise(url: string, database: mongoose.Connection): Promise<void> {
  const { owner, member, target, group, channel } = await createWorld(url);
  const [groupId, channelId] = [group.id, channel.id];
  const ofTarget = { channelId, userId: target.userId };
  const inGroup = { groupId, name: "Lounge", kind: "voice" } as const;
  const lounge = await must(url, "channel.create", inGroup, owner.accessToken);
  const callsOf = async (id: string) => {
    const { calls } = await must(url, "call.list", {}, member.accessToken);
    return calls.filter((call) => call.channelId === id);
  };
  const checkNow = async () => {
    await database.collection("calls").updateMany({}, { $set: { checkAt: PAST } });
    for (const kind of ["call.check", "call.stopRings"])
      await database.collection("jobs").updateOne({ kind }, { $set: { dueAt: PAST } });
  };

  await joinCall(url, channelId, owner);
  const { signal } = await joinCall(url, channelId, target);
  await must(url, "call.ring", { channelId, userIds: [member.userId] }, owner.accessToken);
  await must(url, "call.decline", { channelId }, member.accessToken);
  await must(url, "call.ring", { channelId, userIds: [member.userId] }, owner.accessToken);
  for (const isMuted of [true, false])
    await must(url, "call.muteMember", { ...ofTarget, isMuted }, owner.accessToken);
  signal.close();
  const participants = database.collection("callParticipants");
  await vi.waitFor(async () => {
    await checkNow();
    expect(await participants.countDocuments({ untilAt: { $exists: true } })).toBeGreaterThan(0);
  }, CHECKED);
  await participants.updateMany({ untilAt: { $exists: true } }, { $set: { untilAt: PAST } });
  await database.collection("callRings").updateMany({ dueAt: { $exists: true } }, { $set: { dueAt: PAST } });
  await vi.waitFor(async () => {
    await checkNow();
    expect((await callsOf(channelId))[0]?.participants.map(({ userId }) => userId)).toEqual([owner.userId]);
  }, CHECKED);
  await joinCall(url, channelId, target);
  const move = { ...ofTarget, toChannelId: lounge.channel.id };
  await must(url, "call.moveMember", move, owner.accessToken);
  await joinCall(url, lounge.channel.id, target);
  const deny = { allow: 0, deny: 1, target: { type: "member", id: target.userId } } as const;
  await must(url, "channel.setOverride", { channelId: lounge.channel.id, ...deny }, owner.accessToken);
  await vi.waitFor(async () => expect(await callsOf(lounge.channel.id)).toEqual([]), CHECKED);
  await must(url, "call.leave", { channelId }, target.accessToken);
  await must(url, "call.end", { channelId }, owner.accessToken);

  const direct = await must(url, "channel.openDirect", { userId: target.userId }, owner.accessToken);
  const inDirect = { channelId: direct.channel.id };
  await joinCall(url, inDirect.channelId, owner);
  await must(url, "call.leave", inDirect, owner.accessToken);
  await joinCall(url, channelId, owner);
  await must(url, "channel.delete", { channelId }, owner.accessToken);
  await vi.waitFor(async () => expect(await database.collection("calls").countDocuments()).toBe(0), CHECKED);
}
