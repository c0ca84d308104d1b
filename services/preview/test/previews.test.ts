import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Outbound } from "@fanfare/outbound";
import { createWorld, must, type World } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Pages } from "../src/preview.service.ts";

let instance: Instance;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  instance = await startInstance({ OUTBOUND_ALLOW: "127.0.0.1" });
});
afterAll(async () => {
  await instance.stop();
  for (const close of closers) await close();
});

/** Serves a site and records the requested pages. */
async function serve(listener: RequestListener, host = "127.0.0.1") {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, asked };
}

const page: RequestListener = (request, response) => {
  response
    .setHeader("content-type", "text/html; charset=utf-8")
    .end(`<title>Page ${request.url}</title><meta name="description" content="What it is about">`);
};

let nonces = 0;
async function say({ channel, member }: World, content: string, url = instance.url): Promise<string> {
  const nonce = `p${(nonces += 1)}`;
  const { message } = await must(
    url,
    "message.send",
    { channelId: channel.id, content, nonce },
    member.accessToken,
  );
  return message.id;
}

const embedsOf = async ({ channel, member }: World, messageId: string, url = instance.url) =>
  (await must(url, "message.get", { channelId: channel.id, messageId }, member.accessToken)).message.embeds;

test("adds previews for links of a message, but not in code or for links in angle brackets", async () => {
  const world = await createWorld(instance.url);
  const { url, asked } = await serve(page);
  const id = await say(world, `see ${url}/a, and <${url}/hidden> and \`${url}/code\``);
  await expect
    .poll(() => embedsOf(world, id))
    .toEqual([
      { url: `${url}/a`, title: "Page /a", description: "What it is about", siteName: "", imageUrl: null },
    ]);
  expect(asked).toEqual(["/a"]);
});

test("an edited message has the previews of its new links, and of those that it kept", async () => {
  const world = await createWorld(instance.url);
  const { url } = await serve(page);
  const id = await say(world, `${url}/old ${url}/kept`);
  const titles = async () => (await embedsOf(world, id))?.map(({ title }) => title);
  await expect.poll(titles).toEqual(["Page /old", "Page /kept"]);
  const edited = { channelId: world.channel.id, messageId: id, content: `${url}/kept ${url}/new` };
  await must(instance.url, "message.edit", edited, world.member.accessToken);
  await expect.poll(titles).toEqual(["Page /kept", "Page /new"]);
});

test("fetches a page once for many messages, and adds no preview if it isn't a page", async () => {
  const world = await createWorld(instance.url);
  const { url, asked } = await serve((request, response) => {
    if (request.url === "/a") page(request, response);
    else if (request.url === "/video") response.setHeader("content-type", "video/mp4").end("x");
    else response.writeHead(404, { "content-type": "text/html" }).end("<title>Not found</title>");
  });
  const plain = await say(world, `${url}/video ${url}/gone`);
  const ids = [await say(world, `${url}/a`), await say(world, `${url}/a again`)];
  for (const id of ids) await expect.poll(() => embedsOf(world, id)).toMatchObject([{ title: "Page /a" }]);
  expect(asked.filter((path) => path === "/a")).toHaveLength(1);
  expect(await embedsOf(world, plain)).toBeUndefined();
});

test("doesn't fetch addresses of the server's own network, directly or by a redirect", async () => {
  const world = await createWorld(instance.url);
  const secret = await serve(page, "127.0.0.2");
  const { url, asked } = await serve((request, response) => {
    if (request.url === "/ok") page(request, response);
    else response.writeHead(302, { location: `${secret.url}/metadata` }).end();
  });
  const id = await say(world, `${secret.url}/direct ${url}/redirect ${url}/ok`);
  await expect.poll(() => embedsOf(world, id)).toMatchObject([{ title: "Page /ok" }]);
  expect(asked.toSorted()).toEqual(["/ok", "/redirect"]);
  expect(secret.asked).toEqual([]);
});

test("fetches nothing when previews are disabled", async () => {
  const off = await startInstance({ OUTBOUND_ALLOW: "127.0.0.1", LINK_PREVIEWS: "off" });
  try {
    const world = await createWorld(off.url);
    const { url, asked } = await serve(page);
    const id = await say(world, `${url}/a`, off.url);
    // When this one has been processed, so has the message before it.
    await say(world, `<@${world.owner.userId}>`, off.url);
    await vi.waitFor(async () =>
      expect((await must(off.url, "inbox.list", {}, world.owner.accessToken)).items).toHaveLength(1),
    );
    expect(asked).toEqual([]);
    expect(await embedsOf(world, id, off.url)).toBeUndefined();
  } finally {
    await off.stop();
  }
});

test("fetches a page again after an aborted fetch", async () => {
  const stop = new AbortController();
  const { url, asked } = await serve((request, response) => {
    // The first request is never answered.
    if (asked.length === 1) stop.abort();
    else page(request, response);
  });
  const outbound = new Outbound({ userAgent: "test", allow: ["127.0.0.1"] });
  closers.unshift(() => outbound.close());
  const pages = new Pages(outbound);
  await expect(pages.get(`${url}/a`, stop.signal)).rejects.toThrow("cannot be reached");
  const again = await pages.get(`${url}/a`, new AbortController().signal);
  expect(again).toMatchObject({ title: "Page /a" });
  expect(asked).toEqual(["/a", "/a"]);
});
