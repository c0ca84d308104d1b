import { type MessageRuleName, type MessageRules, parseMentions } from "@fanfare/contract";

const HOUR_MS = 60 * 60 * 1000;

/** Unlike for previews, a link in code counts too: it could be copied. */
const LINK = /(?:https?:\/\/|(?<![\p{L}\p{N}])www\.)\[?[^\s<>"'`()[\]{}|\\，。、；：！？（）「」]+/giu;

/** The hosts that a text links to; null for an address that is not understood. */
export function linkedHosts(content: string): (string | null)[] {
  return [...content.matchAll(LINK)].map(([link]) => {
    const address = /^www\./i.test(link) ? `https://${link}` : link;
    return URL.parse(address.replace(/[.,;:!?*_~]+$/, ""))?.hostname ?? null;
  });
}

function isAllowed(host: string | null, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((allowed) => host === allowed || host?.endsWith(`.${allowed}`) === true);
}

/** A user's id begins with the second in which the account was created. */
const createdMs = (userId: string): number => Number.parseInt(userId.slice(0, 8), 16) * 1000;

/** The rules that a text itself breaks, without `repeats`. */
export function brokenRules(
  rules: MessageRules,
  { content, authorId }: { content: string; authorId: string },
  nowMs: number = Date.now(),
): MessageRuleName[] {
  const { links, mentions, newAccounts } = rules;
  const broken: MessageRuleName[] = [];
  if (newAccounts !== null && nowMs - createdMs(authorId) < newAccounts.hours * HOUR_MS)
    broken.push("newAccounts");
  if (mentions !== null && countMentions(content) > mentions.max) broken.push("mentions");
  if (links !== null && linkedHosts(content).some((host) => !isAllowed(host, links.allowedHosts)))
    broken.push("links");
  return broken;
}

function countMentions(content: string): number {
  const { userIds, roleIds, everyone } = parseMentions(content);
  return userIds.length + roleIds.length + Number(everyone);
}

/** What the author has to keep to, if it is a number. */
export function limitOf(rules: MessageRules, name: MessageRuleName): number | null {
  switch (name) {
    case "links":
      return null;
    case "newAccounts":
      return rules.newAccounts?.hours ?? null;
    default:
      return rules[name]?.max ?? null;
  }
}
