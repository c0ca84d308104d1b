import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { readFileSync } from "node:fs";
import { serviceError, WorkQueue } from "@fanfare/kernel";
import { LIMITS } from "@fanfare/contract";

const argon2 = promisify(argon2Callback);

const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Half of libuv's threads, so that file access and DNS lookups aren't blocked by many logins. */
const HASHES_AT_ONCE = 2;
/** Maximum of waiting hashes, about two seconds' worth. Further callers must retry later. */
const HASHES_WAITING = 100;
const RETRY_AFTER_MS = 2000;

const HASH_FORMAT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

export interface Passwords {
  /**
   * @param names of the account; the password must not consist of them
   * @throws {ServiceError} WEAK_PASSWORD, OVERLOADED
   */
  hash(password: string, names: OwnNames): Promise<string>;
  /**
   * Takes the same time without a hash, so that timing doesn't reveal which accounts exist.
   * @throws {ServiceError} OVERLOADED
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/**
 * Argon2id in PHC string format. At most two hashes run at once: each takes its memory and a thread.
 * @param memory of new hashes, in KiB
 */
export function createPasswords(memory: number): Passwords {
  const current: Cost = { memory, passes: PASSES, parallelism: LANES };
  const hashes = new WorkQueue({
    atOnce: HASHES_AT_ONCE,
    waiting: HASHES_WAITING,
    retryAfterMs: RETRY_AFTER_MS,
  });
  return {
    async hash(password, names) {
      assertNotWeak(password, names);
      const salt = randomBytes(SALT_BYTES);
      const tag = await hashes.run(() => digest(password, salt, current, TAG_BYTES));
      const encode = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
      return `$argon2id$v=19$m=${memory},t=${PASSES},p=${LANES}$${encode(salt)}$${encode(tag)}`;
    },
    async verify(password, hash) {
      const parsed = hash === undefined ? null : parseHash(hash);
      const { salt, tag, cost } = parsed ?? {
        salt: randomBytes(SALT_BYTES),
        tag: Buffer.alloc(TAG_BYTES),
        cost: current,
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

/** Names of the account, which an attacker would try first. */
interface OwnNames {
  username?: string | undefined;
  nickname?: string | undefined;
  email?: string | undefined;
}

const COMMON: ReadonlySet<string> = new Set(
  readFileSync(new URL("./common-passwords.txt", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# ")),
);
const NAME_MIN_CHARS = 3;
const MIN_DIFFERENT_CHARS = 4;

/**
 * Rejects easily guessed passwords: common ones, repetitions of a few characters, and the account's names with few additions.
 * @throws {ServiceError} WEAK_PASSWORD
 */
export function assertNotWeak(password: string, names: OwnNames): void {
  const text = plain(password);
  if (isCommon(text)) throw serviceError("WEAK_PASSWORD", { reason: "common" });
  // Longest first, so that a shorter name inside a longer one doesn't leave the rest behind.
  const words = wordsOf(names).toSorted((a, b) => b.length - a.length);
  const rest = words.reduce((left, word) => left.replaceAll(word, ""), text);
  if (rest !== text && (rest.length < LIMITS.passwordMinChars || isCommon(rest)))
    throw serviceError("WEAK_PASSWORD", { reason: "personal" });
}

function isCommon(text: string): boolean {
  return COMMON.has(text) || new Set(text).size < MIN_DIFFERENT_CHARS;
}

/** The names and the words they consist of. */
function wordsOf({ username = "", nickname = "", email = "" }: OwnNames): string[] {
  const [local = "", domain = ""] = email.split("@");
  const site = domain.split(".").slice(0, -1);
  const names = [username, nickname, email, local, ...site].map(plain);
  const words = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u));
  return [...new Set([...names, ...words])].filter((word) => word.length >= NAME_MIN_CHARS);
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().trim();
