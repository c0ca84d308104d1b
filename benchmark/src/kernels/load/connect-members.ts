import { Member, type MemberContext, type MemberHandler, type MemberPlace } from "./member.ts";

const WINDOW = 32;
const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 15_000;

/**
 * Connects members, a few at a time, and retries failures.
 * @param handlerOf receives everything from the moment the member is ready
 * @throws {Error} with the code of the first that could not be connected
 */
export async function connectMembers(
  context: MemberContext,
  places: readonly MemberPlace[],
  handlerOf: (member: number) => Omit<MemberHandler, "ready">,
): Promise<Member[]> {
  const members: Member[] = [];
  let next = 0;
  const lane = async () => {
    while (next < places.length) {
      const index = next++;
      members[index] = await withRetries(() => connect(context, places[index]!, handlerOf(index)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(WINDOW, places.length) }, lane));
  return members;
}

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

function connect(
  context: MemberContext,
  place: MemberPlace,
  handler: Omit<MemberHandler, "ready">,
): Promise<Member> {
  return new Promise((resolve, reject) => {
    const fail = (code: string) => {
      clearTimeout(timer);
      reject(new Error(`A sending member could not connect: ${code}.`));
    };
    const timer = setTimeout(() => {
      member.destroy();
      fail("CONNECT_TIMEOUT");
    }, TIMEOUT_MS);
    let isReady = false;
    const member = new Member(context, place, {
      ...handler,
      ready: () => {
        isReady = true;
        clearTimeout(timer);
        resolve(member);
      },
      ended: (code) => (isReady ? handler.ended(code) : fail(code)),
    });
  });
}
