import { code, excerpt, line, lines, link } from "@fanfare/markup";
import type { WebhookMessage } from "./webhook-message.ts";

// Messages about repositories, for all services that host code.

export const MAX_COMMITS = 10;

export interface Repository {
  name: string;
  url: string;
}

interface Event {
  repository: Repository;
  who: string;
  /** What they did, as markdown: `opened issue`. */
  did: string;
  /** What it was done to. */
  title: string;
  url: string;
  /** The text that they wrote. */
  body?: string;
}

export const repositoryText = ({ name, url }: Repository): string => link(name, url);

/** One line, and the start of the text below it. */
export function eventMessage({ repository, who, did, title, url, body = "" }: Event): WebhookMessage {
  const first = [`${repositoryText(repository)}:`, line(who, 100), did, link(title, url)].filter(Boolean);
  return { text: lines(first.join(" "), excerpt(body)), url };
}

interface Push {
  repository: Repository;
  who: string;
  /** Such as `refs/heads/main`. */
  ref: string;
  /** Where the changes are. */
  url: string;
  commits: readonly { id: string; message: string; url: string }[];
  total: number;
  change: "created" | "deleted" | "forced" | null;
}

/** null: a push without commits that neither created nor deleted anything. */
export function pushMessage({
  repository,
  who,
  ref,
  url,
  commits,
  total,
  change,
}: Push): WebhookMessage | null {
  const kind = ref.startsWith("refs/tags/") ? "tag" : "branch";
  const name = code(ref.replace(/^refs\/(?:heads|tags)\//, ""));
  const count = `${total} ${total === 1 ? "commit" : "commits"}`;
  const pushed = change === "forced" ? "force-pushed" : "pushed";
  const target = change === "created" ? `new ${kind} ${name}` : name;
  const did =
    change === "deleted"
      ? `deleted ${kind} ${name}`
      : total > 0
        ? `${pushed} ${link(count, url)} to ${target}`
        : { created: `created ${kind} ${name}`, forced: `${pushed} ${name}`, none: null }[change ?? "none"];
  if (did === null) return null;
  const more = total - commits.length;
  const text = lines(
    `${repositoryText(repository)}: ${line(who, 100)} ${did}`,
    ...commits.map((one) => `- ${link(one.id.slice(0, 7), one.url)} ${line(firstLine(one.message), 120)}`),
    commits.length > 0 && more > 0 ? `- ${link(`${more} more`, url)}` : "",
  );
  return { text, url };
}

const firstLine = (message: string): string => message.trimStart().split("\n", 1)[0] ?? "";
