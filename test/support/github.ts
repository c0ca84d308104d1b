import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { freePort } from "@fanfare/testing";

/** The example responses of GitHub's REST API documentation (version 2022-11-28), without links and most of the users' fields. */
const OCTOCAT = { login: "octocat", id: 1, type: "User", site_admin: false };
const RESPONSES: Readonly<Record<string, object>> = {
  "/repos/octocat/Hello-World/issues/1347": {
    id: 1,
    number: 1347,
    state: "open",
    state_reason: null,
    title: "Found a bug",
    body: "I'm having a problem with this.",
    user: OCTOCAT,
    labels: [{ id: 208_045_946, name: "bug", color: "f29513", default: true }],
    assignee: OCTOCAT,
    locked: true,
    comments: 3,
    closed_at: null,
    created_at: "2011-04-22T13:33:48Z",
    updated_at: "2011-04-22T13:33:48Z",
    author_association: "COLLABORATOR",
  },
  "/repos/octocat/Hello-World/pulls/1348": {
    id: 1,
    number: 1348,
    state: "closed",
    title: "Amazing new feature",
    user: OCTOCAT,
    body: "Please pull these awesome changes in!",
    labels: [],
    draft: false,
    merged: true,
    mergeable: null,
    head: { label: "octocat:new-topic", ref: "new-topic", sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e" },
    base: { label: "octocat:main", ref: "main", sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e" },
    comments: 10,
    commits: 3,
    additions: 100,
    deletions: 3,
    changed_files: 5,
  },
  "/repos/octocat/Hello-World/commits/6dcb09b5b57875f334f61aebed695e2e4193db5e": {
    sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    commit: {
      author: { name: "Monalisa Octocat", email: "support@github.com", date: "2011-04-14T16:00:49Z" },
      message: "Fix all the bugs\n\nReally all.",
      comment_count: 0,
    },
    author: OCTOCAT,
    stats: { additions: 104, deletions: 4, total: 108 },
    files: [],
  },
};

export interface GitHub {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Answers every request with this status from now on. */
  fail(status: number): void;
  stop(): Promise<void>;
}

/** Stands in for api.github.com. */
export async function startGitHub(): Promise<GitHub> {
  const requests: GitHub["requests"] = [];
  let failure: number | null = null;
  const server = createServer(({ url = "", headers }, response) => {
    requests.push({ path: url, headers });
    const found = RESPONSES[url];
    const status = failure ?? (found === undefined ? 404 : 200);
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(status === 200 ? found : { message: "Not Found", status: String(status) }));
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (status) => (failure = status),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
