import type { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { hasLiveKit, SLOW_NETWORK, UdpRelay } from "@fanfare/testing";
import type { Locator, Page, WebSocketRoute } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { hasBrowser } from "./browser.ts";
import { useCallSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const DEVICES = { permissions: ["microphone", "camera"], fullBrowser: true };

/**
 * Keeps the connections of the page, for their statistics. The microphone is a tone: the browser's own one beeps, which LiveKit doesn't take
 * for speech. The camera's pictures are small, because all browsers of a test share the processor. The screen that is shared is a canvas.
 */
const NOTED_CONNECTIONS = `
  window.connections = [];
  const Native = RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(...parameters) {
      super(...parameters);
      window.connections.push(this);
    }
  };
  const devices = navigator.mediaDevices;
  const open = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => {
    if (wanted.video) return open({ ...wanted, video: { width: 320, height: 180, frameRate: 10 } });
    const audio = new AudioContext();
    const [tone, microphone] = [audio.createOscillator(), audio.createMediaStreamDestination()];
    tone.connect(microphone);
    tone.start();
    return microphone.stream;
  };
  devices.getDisplayMedia = async () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [640, 360];
    const context = canvas.getContext("2d");
    setInterval(() => {
      context.fillStyle = "hsl(" + (Date.now() / 20) % 360 + " 80% 50%)";
      context.fillRect(0, 0, 640, 360);
    }, 100);
    return canvas.captureStream(10);
  };
`;

/** The loudness of all that was heard, the number of pictures that were seen, and how many people were heard and seen. */
const RECEIVED = `(async () => {
  let [energy, frames, heard, seen] = [0, 0, 0, 0];
  for (const connection of window.connections) {
    if (connection.signalingState === "closed") continue;
    for (const one of (await connection.getStats()).values()) {
      if (one.type !== "inbound-rtp") continue;
      energy += one.totalAudioEnergy ?? 0;
      frames += one.framesDecoded ?? 0;
      if (one.totalAudioEnergy > 0) heard += 1;
      if (one.framesDecoded > 10) seen += 1;
    }
  }
  return { energy, frames, heard, seen };
})()`;

/** How many pictures of the call move. */
const PLAYING = `[...document.querySelectorAll("main video")].filter((video) => !video.paused && video.currentTime > 0).length`;

/** What waits for the end of a long time waits forever. */
const NO_LONG_TIMERS = `{
  const later = setTimeout;
  window.setTimeout = (run, ms, ...rest) => later(run, ms > 5000 ? 2 ** 30 : ms, ...rest);
}`;

/** Media goes over another port than the one that the server names, in both directions: the server learns no address of the page. */
const viaPort = (from: number, to: number): string => `{
  const moved = (text) => text.replaceAll(" ${from} typ ", " ${to} typ ");
  const connection = RTCPeerConnection.prototype;
  const { addIceCandidate, setRemoteDescription } = connection;
  connection.addIceCandidate = function ({ candidate, sdpMid, sdpMLineIndex }) {
    return addIceCandidate.call(this, { candidate: moved(candidate), sdpMid, sdpMLineIndex });
  };
  connection.setRemoteDescription = function ({ type, sdp }) {
    return setRemoteDescription.call(this, { type, sdp: moved(sdp) });
  };
  Object.defineProperty(connection, "onicecandidate", { set() {} });
  for (const name of ["createOffer", "createAnswer"]) {
    const create = connection[name];
    connection[name] = async function (...options) {
      const { type, sdp } = await create.apply(this, options);
      return { type, sdp: sdp.replaceAll(/a=candidate:.*\\r\\n/g, "") };
    };
  }
}`;

interface Received {
  energy: number;
  frames: number;
  heard: number;
  seen: number;
}

describe.skipIf(!hasBrowser() || !hasLiveKit())("calls", () => {
  const { site, server } = useCallSite();
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let tokens: SessionTokens;
  let graceTokens: SessionTokens;
  let voiceId: string;
  let textId: string;
  let count = 0;

  beforeAll(async () => {
    ({ ada, grace, groupId } = await site.newTeam());
    await Promise.all([ada.connect(), grace.connect()]);
  });

  beforeEach(async () => {
    count += 1;
    const [voice, text] = await Promise.all([
      ada.call("channel.create", { groupId, name: `lounge-${count}`, kind: "voice" }),
      ada.call("channel.create", { groupId, name: `room-${count}` }),
    ]);
    voiceId = voice.channel.id;
    textId = text.channel.id;
    [tokens, graceTokens] = await Promise.all([site.logIn("ada"), site.logIn("grace")]);
  });

  const channelPath = (channelId: string) => `/groups/${groupId}/channels/${channelId}`;

  async function open(
    path: string,
    held: SessionTokens,
    { options = {}, settings = { hasChosen: true } }: { options?: object; settings?: object } = {},
  ): Promise<Page> {
    const page = await site.newPage({ viewport: { width: 1200, height: 800 }, ...DEVICES, ...options }, held);
    await page.addInitScript(NOTED_CONNECTIONS);
    await page.addInitScript(
      `localStorage.setItem("fanfare.calls", ${JSON.stringify(JSON.stringify(settings))})`,
    );
    await page.goto(site.url + path);
    await site.loaded(page);
    return page;
  }

  const button = (page: Page | Locator, key: string) =>
    page.getByRole("button", { name: new RegExp(`^${t(key)}$`) });
  const view = (page: Page) => page.getByRole("region", { name: t("calls:view"), exact: true });
  const bar = (page: Page) => page.getByRole("region", { name: t("calls:bar.label") });
  const people = (page: Page) => page.getByRole("list", { name: t("calls:people") });
  const person = (page: Page, userId: string) => people(page).locator(`[data-user-id="${userId}"]`);
  const received = (page: Page) => page.evaluate<Received>(RECEIVED);
  const isConnected = (page: Page) => button(view(page), "calls:mute").waitFor();

  async function join(page: Page, withVideo = false): Promise<void> {
    await button(page, withVideo ? "calls:joinWithVideo" : "calls:join")
      .first()
      .click();
    await isConnected(page);
  }

  test("two people hear and see each other in a voice channel", async () => {
    const [first, second] = await Promise.all([
      open(channelPath(voiceId), tokens),
      open(channelPath(voiceId), graceTokens),
    ]);
    await join(first, true);
    await person(first, ada.user!.id).locator("video").waitFor();
    await second.getByRole("list", { name: t("calls:peopleIn", { channel: `lounge-${count}` }) }).waitFor();
    await join(second, true);
    for (const page of [first, second]) {
      await expect.poll(() => page.evaluate<number>(PLAYING)).toBe(2);
      await expect.poll(async () => (await received(page)).energy).toBeGreaterThan(0);
      await expect.poll(async () => (await received(page)).frames).toBeGreaterThan(10);
    }
    await first.locator(`main [data-user-id="${grace.user!.id}"][data-speaking]`).waitFor();

    await button(view(second), "calls:mute").click();
    await person(first, grace.user!.id).getByText(t("calls:isMuted")).waitFor();
    await button(view(second), "calls:cameraOff").click();
    await expect.poll(() => people(first).locator("video").count()).toBe(1);

    await button(view(second), "calls:leave").click();
    await person(first, grace.user!.id).waitFor({ state: "detached" });
    await bar(second).waitFor({ state: "detached" });
  });

  test("four people hear and see each other", { tags: "long" }, async () => {
    const { invite } = await ada.call("invite.create", { groupId });
    const others = await Promise.all(
      ["Barbara", "Margaret"].map(async (name) => {
        await (await site.newAccount(name)).call("invite.accept", { code: invite.code });
        return site.logIn(name.toLowerCase());
      }),
    );
    const pages = await Promise.all(
      [tokens, graceTokens, ...others].map((held) => open(channelPath(voiceId), held)),
    );
    await Promise.all(pages.map((page) => join(page, true)));
    for (const page of pages) {
      await expect.poll(() => page.evaluate<number>(PLAYING)).toBe(4);
      await expect.poll(() => received(page)).toMatchObject({ heard: 3, seen: 3 });
    }
  });

  test(
    "a restart of LiveKit interrupts a call, and all are back without a click",
    { tags: "long" },
    async () => {
      const pages = await Promise.all([
        open(channelPath(voiceId), tokens),
        open(channelPath(voiceId), graceTokens),
      ]);
      await Promise.all(pages.map((page) => join(page, true)));
      for (const page of pages) await expect.poll(() => received(page)).toMatchObject({ heard: 1, seen: 1 });
      const isReconnecting = (page: Page) => view(page).getByText(t("calls:status.reconnecting"));
      await server.livekit.kill();
      try {
        await Promise.all(pages.map((page) => isReconnecting(page).waitFor()));
      } finally {
        await server.livekit.start();
      }
      for (const page of pages) {
        await isReconnecting(page).waitFor({ state: "detached" });
        const { energy, frames } = await received(page);
        await expect.poll(async () => (await received(page)).energy).toBeGreaterThan(energy);
        await expect.poll(async () => (await received(page)).frames).toBeGreaterThan(frames);
      }
    },
  );

  test("a call survives a slow network, which others see, and recovers", { tags: "long" }, async () => {
    const relay = await UdpRelay.start(server.livekit.mediaPort);
    try {
      const [slow, other] = await Promise.all([
        open(channelPath(voiceId), tokens),
        open(channelPath(voiceId), graceTokens),
      ]);
      await slow.addInitScript(viaPort(server.livekit.mediaPort, relay.port));
      await slow.reload();
      await Promise.all([slow, other].map((page) => join(page, true)));
      for (const page of [slow, other])
        await expect.poll(() => received(page)).toMatchObject({ heard: 1, seen: 1 });
      const warning = person(other, ada.user!.id).getByText(t("calls:quality.poor"));
      relay.network = SLOW_NETWORK;
      await warning.waitFor();
      await isConnected(slow);
      relay.network = null;
      await warning.waitFor({ state: "detached" });
      for (const page of [slow, other]) {
        const { energy, frames } = await received(page);
        await expect.poll(async () => (await received(page)).energy).toBeGreaterThan(energy);
        await expect.poll(async () => (await received(page)).frames).toBeGreaterThan(frames);
      }
    } finally {
      relay.stop();
    }
  });

  test("others see who speaks in the sidebar and above the channel", async () => {
    const [inCall, outside] = await Promise.all([
      open(channelPath(voiceId), tokens),
      open(channelPath(voiceId), graceTokens),
    ]);
    await join(inCall);
    const speakers = outside.locator("[data-speaking]");
    const list = outside.getByRole("list", { name: t("calls:peopleIn", { channel: `lounge-${count}` }) });
    await list.locator("[data-speaking]").waitFor();
    await view(outside).locator("[data-speaking]").waitFor();
    await button(view(inCall), "calls:mute").click();
    await expect.poll(() => speakers.count()).toBe(0);
  });

  test("a call that is still connecting doesn't delay the next one", { tags: "long" }, async () => {
    const { channel } = await ada.call("channel.create", { groupId, name: `next-${count}`, kind: "voice" });
    const page = await open(channelPath(voiceId), tokens);
    const sockets: WebSocketRoute[] = [];
    // The first one never gets a response.
    await page.routeWebSocket(/\/rtc/, (socket) => {
      if (sockets.push(socket) > 1) socket.connectToServer();
    });
    await page.addInitScript(NO_LONG_TIMERS);
    await page.reload();
    await button(page, "calls:join").first().click();
    await expect.poll(() => sockets.length).toBe(1);
    await page.getByRole("link", { name: channel.name }).click();
    await join(page);
  });

  test("the call goes on while the user is on other pages, and a shared screen is shown large", async () => {
    const [first, second] = await Promise.all([
      open(channelPath(voiceId), tokens),
      open(channelPath(voiceId), graceTokens),
    ]);
    await join(first);
    await join(second);
    await site.visit(first, channelPath(textId));
    await bar(first).getByText(`lounge-${count}`).waitFor();
    const { energy } = await received(first);
    await expect.poll(async () => (await received(first)).energy).toBeGreaterThan(energy);

    await button(bar(first), "calls:shareScreen").click();
    await people(second)
      .getByLabel(t("calls:screenOf", { name: "Ada" }), { exact: true })
      .waitFor();
    await expect.poll(async () => (await received(second)).frames).toBeGreaterThan(5);
    await expect.poll(() => second.evaluate<number>(PLAYING)).toBe(1);
    await button(bar(first), "calls:stopSharing").click();
    await expect.poll(() => people(second).locator("video").count()).toBe(0);
    await bar(first).getByRole("link").click();
    await isConnected(first);
  });

  test("the devices are chosen before the first call", async () => {
    const page = await open(channelPath(voiceId), tokens, { settings: {} });
    await button(page, "calls:join").first().click();
    const dialog = page.getByRole("dialog", { name: t("calls:device.title") });
    await dialog.getByRole("combobox", { name: t("calls:device.microphone") }).waitFor();
    const level = dialog.getByRole("img", { name: t("calls:device.level") });
    await level.locator("[data-on]").first().waitFor();
    await button(dialog, "calls:device.showPreview").click();
    await dialog.locator("video:not(.hidden)").waitFor();
    expect(await violations(page, "devices")).toEqual([]);
    await button(dialog, "calls:join").click();
    await isConnected(page);
  });

  test("without the permissions there is no microphone, and no way to join", async () => {
    const everyone = { type: "everyone" } as const;
    const deny = PERMISSIONS.speak | PERMISSIONS.video | PERMISSIONS.shareScreen;
    await ada.call("channel.setOverride", { channelId: voiceId, target: everyone, allow: 0, deny });
    const page = await open(channelPath(voiceId), graceTokens);
    await button(page, "calls:join").first().click();
    expect(await button(view(page), "calls:cannotSpeak").isDisabled()).toBe(true);
    expect(await button(view(page), "calls:cannotShowVideo").isDisabled()).toBe(true);
    expect(await button(view(page), "calls:cannotShareScreen").isDisabled()).toBe(true);

    const change = { channelId: voiceId, target: everyone, allow: 0, deny: PERMISSIONS.connect };
    await ada.call("channel.setOverride", change);
    await page.getByText(t("calls:ended.removed")).waitFor();
    await page.getByText(t("calls:cannotJoin")).waitFor();
  });

  test("moderators mute members, and a kicked one is no longer in the call", async () => {
    const linus = await site.newAccount(`Linus${count}`);
    const { invite } = await ada.call("invite.create", { groupId });
    await linus.call("invite.accept", { code: invite.code });
    const theirTokens = await site.logIn(`linus${count}`);
    const [first, second] = await Promise.all([
      open(channelPath(voiceId), tokens),
      open(channelPath(voiceId), theirTokens),
    ]);
    await join(first);
    await join(second);
    const userId = linus.user!.id;
    const name = `Linus${count}`;
    await person(first, userId).hover();
    await person(first, userId)
      .getByRole("button", { name: t("calls:optionsOf", { name }) })
      .click();
    await button(first, "calls:muteThem").click();
    await person(first, userId).getByText(t("calls:isMuted")).waitFor();

    await ada.call("group.kick", { groupId, userId });
    await person(first, userId).waitFor({ state: "detached" });
    await expect.poll(() => bar(second).count()).toBe(0);
  });

  test("push-to-talk turns the microphone on while the key is held, and deafening turns all sound off", async () => {
    const [first, second] = await Promise.all([
      open(channelPath(voiceId), tokens, {
        settings: { hasChosen: true, pushToTalk: true, pushToTalkKey: "F8" },
      }),
      open(channelPath(voiceId), graceTokens),
    ]);
    await button(first, "calls:join").first().click();
    await button(view(first), "calls:unmute").waitFor();
    await join(second);
    const adaIsMuted = person(second, ada.user!.id).getByText(t("calls:isMuted"));
    await adaIsMuted.waitFor();
    await first.keyboard.down("F8");
    await adaIsMuted.waitFor({ state: "detached" });
    await first.keyboard.up("F8");
    await adaIsMuted.waitFor();

    await expect.poll(async () => (await received(first)).energy).toBeGreaterThan(0);
    await button(view(first), "calls:deafen").click();
    // What is on its way still arrives.
    await expect
      .poll(async () => {
        const { energy } = await received(first);
        await first.waitForTimeout(500);
        return (await received(first)).energy - energy;
      })
      .toBe(0);
    await button(view(first), "calls:undeafen").click();
    const { energy } = await received(first);
    await expect.poll(async () => (await received(first)).energy).toBeGreaterThan(energy);
    await button(view(first), "calls:unmute").waitFor();
  });

  test("a moved user stays muted, and a call is in one tab at a time", { tags: "long" }, async () => {
    const name = `studio-${count}`;
    const { channel } = await ada.call("channel.create", { groupId, name, kind: "voice" });
    const page = await open(channelPath(voiceId), graceTokens);
    await join(page);
    await button(view(page), "calls:mute").click();
    await button(view(page), "calls:unmute").waitFor();
    const place = { channelId: voiceId, userId: grace.user!.id, toChannelId: channel.id };
    await ada.call("call.moveMember", place);
    await bar(page).getByText(name).waitFor();
    await button(bar(page), "calls:unmute").waitFor();

    const other = await open(channelPath(channel.id), await site.logIn("grace"));
    await join(other);
    await expect.poll(() => bar(page).count()).toBe(0);
    await isConnected(other);
  });

  describe("in a direct message", () => {
    let directId: string;

    beforeEach(async () => {
      const { channel } = await ada.call("channel.openDirect", { userId: grace.user!.id });
      directId = channel.id;
    });

    const invited = (page: Page) => page.getByRole("list", { name: t("calls:invited.label") });
    const ring = (page: Page) => page.getByRole("region", { name: t("calls:ring.from", { name: "Ada" }) });

    test("a call rings on all devices of the other until one answers", async () => {
      const [first, second, other] = await Promise.all([
        open(`/direct/${directId}`, tokens),
        open(channelPath(textId), graceTokens),
        open("/inbox", await site.logIn("grace")),
      ]);
      await button(first, "calls:start").click();
      await isConnected(first);
      await Promise.all([ring(second).waitFor(), ring(other).waitFor()]);
      expect(await violations(second, "ring", { within: "[data-ring]" })).toEqual([]);
      await invited(first).getByText(t("calls:invited.ringing")).waitFor();
      await button(ring(second), "calls:ring.accept").click();
      await isConnected(second);
      await invited(first).waitFor({ state: "detached" });
      expect(second.url()).toContain(directId);
      await ring(other).waitFor({ state: "detached" });
      await expect.poll(async () => (await received(first)).energy).toBeGreaterThan(0);
      await button(view(first), "calls:leave").click();
      await button(view(second), "calls:leave").click();
      const log = first.getByRole("log");
      await log.getByText(new RegExp(t("calls:message.call", { duration: "\\d+" }))).waitFor();
    });

    test("declining ends the ringing, and leaves a missed call", async () => {
      const [first, second] = await Promise.all([
        open(`/direct/${directId}`, tokens),
        open(`/direct/${directId}`, graceTokens),
      ]);
      await button(first, "calls:start").click();
      await ring(second).waitFor();
      await button(ring(second), "members:action.decline").click();
      await ring(second).waitFor({ state: "detached" });
      await isConnected(first);
      await invited(first).getByText(t("calls:invited.declined")).waitFor();
      await button(view(first), "calls:leave").click();
      await second.getByRole("log").getByText(t("calls:message.missed")).last().waitFor();
      expect(
        await second
          .getByRole("log")
          .getByRole("button", { name: t("calls:message.callBack") })
          .count(),
      ).toBe(1);
      await first.getByRole("log").getByText(t("calls:message.unanswered")).last().waitFor();
    });
  });

  test("the call is accessible, in both themes and on phones", async () => {
    const [page, phone] = await Promise.all([
      open(channelPath(voiceId), tokens),
      open(channelPath(voiceId), graceTokens, { options: PHONE }),
    ]);
    expect(await violations(page, "lobby")).toEqual([]);
    await join(page, true);
    await join(phone, true);
    await expect.poll(() => people(phone).locator("video").count()).toBe(2);
    for (const theme of ["light", "dark"]) {
      for (const one of [page, phone]) {
        await one.locator("html").evaluate((root, value) => root.setAttribute("data-theme", value), theme);
        expect(await violations(one, `call, ${theme}`)).toEqual([]);
      }
    }
  });
});
