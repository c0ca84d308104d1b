import { readFileSync } from "node:fs";
import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";

/** Of an account: what others know or guess first. */
export interface OwnNames {
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
 * Passwords that are tried first: the commonest ones, repetitions of a few characters, and an account's names with little added.
 * @throws {ServiceError} WEAK_PASSWORD
 */
export function refuseWeak(password: string, names: OwnNames): void {
  const text = plain(password);
  if (isCommon(text)) throw serviceError("WEAK_PASSWORD", { reason: "common" });
  // The longest first, so that a shorter name inside it does not leave half of it behind.
  const words = wordsOf(names).toSorted((a, b) => b.length - a.length);
  const rest = words.reduce((left, word) => left.replaceAll(word, ""), text);
  if (rest !== text && (rest.length < LIMITS.passwordMinChars || isCommon(rest)))
    throw serviceError("WEAK_PASSWORD", { reason: "personal" });
}

function isCommon(text: string): boolean {
  return COMMON.has(text) || new Set(text).size < MIN_DIFFERENT_CHARS;
}

/** The names, and the words that they are made of. */
function wordsOf({ username = "", nickname = "", email = "" }: OwnNames): string[] {
  const [local = "", domain = ""] = email.split("@");
  const site = domain.split(".").slice(0, -1);
  const names = [username, nickname, email, local, ...site].map(plain);
  const words = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u));
  return [...new Set([...names, ...words])].filter((word) => word.length >= NAME_MIN_CHARS);
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().trim();
