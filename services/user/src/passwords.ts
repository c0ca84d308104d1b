import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { WorkQueue } from "@fanfare/kernel";
import { refuseWeak, type OwnNames } from "./password.policy.ts";

const argon2 = promisify(argon2Callback);

/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html (argon2id) */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Half of libuv's threads, so that files and look-ups of names are not held up by a flood of logins. */
const HASHES_AT_ONCE = 2;
/** Hashes that wait: about two seconds' worth. Beyond that a caller is told to come back. */
const HASHES_WAITING = 100;
const RETRY_AFTER_MS = 2000;

const HASH_FORMAT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

const COST: Cost = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };

export interface Passwords {
  /**
   * @param names of the account that gets the password: it must not be made of them
   * @throws {ServiceError} WEAK_PASSWORD, OVERLOADED
   */
  hash(password: string, names: OwnNames): Promise<string>;
  /**
   * Takes the same time whether there is a hash to compare with or not, so that nobody learns which names exist.
   * @throws {ServiceError} OVERLOADED
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** Argon2id in PHC string format. At most two hashes run at once: each takes 19 MiB and a thread. */
export function createPasswords(): Passwords {
  const hashes = new WorkQueue({
    atOnce: HASHES_AT_ONCE,
    waiting: HASHES_WAITING,
    retryAfterMs: RETRY_AFTER_MS,
  });
  return {
    async hash(password, names) {
      refuseWeak(password, names);
      const salt = randomBytes(SALT_BYTES);
      const tag = await hashes.run(() => digest(password, salt, COST, TAG_BYTES));
      const encode = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
      return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encode(salt)}$${encode(tag)}`;
    },
    async verify(password, hash) {
      const parsed = hash === undefined ? null : parseHash(hash);
      const { salt, tag, cost } = parsed ?? {
        salt: randomBytes(SALT_BYTES),
        tag: Buffer.alloc(TAG_BYTES),
        cost: COST,
      };
      const computed = await hashes.run(() => digest(password, salt, cost, tag.length));
      return timingSafeEqual(computed, tag) && parsed !== null;
    },
  };
}

function digest(password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  // The same password typed on two keyboards may be composed of different code points.
  return argon2("argon2id", { message: password.normalize("NFKC"), nonce, tagLength, ...cost });
}

function parseHash(hash: string): { salt: Buffer; tag: Buffer; cost: Cost } {
  const [, memory, passes, parallelism, salt, tag] = HASH_FORMAT.exec(hash) ?? [];
  if (salt === undefined || tag === undefined)
    throw new Error("A stored password hash has an unknown format.");
  return {
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  };
}
