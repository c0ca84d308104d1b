const LINK =
  /https:\/\/github\.com\/([\w-]{1,39})\/([\w.-]{1,100})\/(issues|pull|commit)\/(\d{1,10}|[0-9a-f]{7,40})(?![\w/])/g;
const CACHED = 500;
const CACHE_MS = 5 * 60_000;
/** After GitHub has refused a request because there were too many. */
const PAUSE_MS = 60_000;
const LINKS_PER_MESSAGE = 3;
const PATHS = { issues: "issues", pull: "pulls", commit: "commits" };

/** @type {import("@fanfare/plugins/server").CreateServerPlugin} */
export default ({ z, settings, fetch, refuse }) => {
  /** By path, oldest first. @type {Map<string, { untilMs: number, found: Promise<object | null> }>} */
  const cache = new Map();
  let pausedUntilMs = 0;

  /** @returns null if there is no such issue, or it is not public */
  async function load(path, kind) {
    const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
    if (settings.token !== undefined) headers.authorization = `Bearer ${settings.token}`;
    const { status, text } = await fetch(`${settings.api}${path}`, { headers });
    if (status === 403 || status === 429) pausedUntilMs = Date.now() + PAUSE_MS;
    if (status === 404 || status === 410 || status === 422) return null;
    if (status !== 200) throw refuse(`GitHub answered with ${status}.`);
    return SUMMARIES[kind](JSON.parse(text));
  }

  function find([link, owner, repository, kind, id]) {
    const path = `/repos/${owner}/${repository}/${PATHS[kind]}/${id}`;
    const nowMs = Date.now();
    const known = cache.get(path);
    if (known !== undefined && known.untilMs > nowMs) return known.found;
    if (pausedUntilMs > nowMs) throw refuse("GitHub has received too many requests. Try again later.");
    const found = load(path, kind).then(
      (summary) => summary && { link, repository: `${owner}/${repository}`, kind, ...summary },
    );
    cache.delete(path);
    cache.set(path, { untilMs: nowMs + CACHE_MS, found });
    if (cache.size > CACHED) cache.delete(cache.keys().next().value);
    found.catch(() => cache.delete(path));
    return found;
  }

  return {
    actions: {
      get: {
        params: z.object({ link: z.string().max(300) }),
        async handle({ params: { link } }) {
          const [match] = link.matchAll(LINK);
          return { found: match === undefined ? null : await find(match) };
        },
      },
    },
    events: {
      // Most messages are read, so the answer is asked for before they are.
      async "message.stored"({ messages }) {
        const matches = messages.flatMap(({ content }) =>
          [...content.matchAll(LINK)].slice(0, LINKS_PER_MESSAGE),
        );
        await Promise.allSettled(matches.map(async (match) => find(match)));
      },
    },
  };
};

/** What the page needs of GitHub's answers. */
const SUMMARIES = {
  issues: (issue) => ({
    number: issue.number,
    title: issue.title,
    state: issue.state === "open" ? "open" : issue.state_reason === "not_planned" ? "not planned" : "closed",
    author: issue.user?.login ?? "ghost",
    labels: (issue.labels ?? []).map((label) => (typeof label === "string" ? label : label.name)).slice(0, 5),
    comments: issue.comments,
  }),
  pull: (pull) => ({
    number: pull.number,
    title: pull.title,
    state: pull.merged ? "merged" : pull.state === "closed" ? "closed" : pull.draft ? "draft" : "open",
    author: pull.user?.login ?? "ghost",
    additions: pull.additions,
    deletions: pull.deletions,
    from: pull.head.ref,
    to: pull.base.ref,
  }),
  commit: ({ sha, commit, author, stats }) => ({
    sha: sha.slice(0, 7),
    title: commit.message.split("\n")[0],
    author: author?.login ?? commit.author?.name ?? "ghost",
    additions: stats?.additions ?? 0,
    deletions: stats?.deletions ?? 0,
  }),
};
