import { type FanfareClient, FanfareError } from "@fanfare/client";
import type { Call, Params, Result } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";

type MemberCall = Params<"group.getMember">;
type MemberAnswer = Result<"group.getMember">;

/** `client.call`, but members of a group who are asked for one by one in the same moment are asked for together. */
export function batchedCall(client: FanfareClient): Call {
  const getMember = gather<MemberCall, MemberAnswer>((asked) => getMembers(client, asked));
  return (name, params) =>
    name === "group.getMember"
      ? (getMember(params as MemberCall) as ReturnType<typeof client.call<typeof name>>)
      : client.call(name, params);
}

interface Waiting<A, R> {
  asked: A;
  answer: (result: Promise<R>) => void;
}

/** Gathers what is asked until everything that is shown at once has asked. */
function gather<A, R>(ask: (all: readonly A[]) => readonly Promise<R>[]): (asked: A) => Promise<R> {
  let waiting: Waiting<A, R>[] = [];
  const askAll = (): void => {
    const all = waiting;
    waiting = [];
    const results = ask(all.map(({ asked }) => asked));
    for (const [index, { answer }] of all.entries()) answer(results[index]!);
  };
  return (asked) =>
    new Promise((answer) => {
      if (waiting.length === 0) setTimeout(askAll);
      waiting.push({ asked, answer });
    });
}

function getMembers(client: FanfareClient, asked: readonly MemberCall[]): Promise<MemberAnswer>[] {
  const calls = new Map<MemberCall, Promise<Result<"group.getMembers">>>();
  for (const groupId of new Set(asked.map((one) => one.groupId))) {
    const some = asked.filter((one) => one.groupId === groupId);
    for (let from = 0; from < some.length; from += LIMITS.usersPerLookup) {
      const together = some.slice(from, from + LIMITS.usersPerLookup);
      const userIds = together.map(({ userId }) => userId);
      const call = client.call("group.getMembers", { groupId, userIds });
      for (const one of together) calls.set(one, call);
    }
  }
  return asked.map(async (one) => {
    const { members } = await calls.get(one)!;
    const member = members.find(({ userId }) => userId === one.userId);
    if (member !== undefined) return { member };
    const message = "This user is no member of the group.";
    throw new FanfareError({ type: "MEMBER_NOT_FOUND", message, retryable: false, requestId: "" });
  });
}
