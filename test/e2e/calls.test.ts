import type { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { freePort, hasLiveKit, type LiveKitServer, startLiveKit } from "@fanfare/testing";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const KEY = "test";
const SECRET = "a-secret-of-32-or-more-characters";
const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const DEVICES = { permissions: ["microphone", "camera"], fullBrowser: true };

/**
 * Keeps the connections of the page, for their statistics. The microphone is a tone: the browser's own one beeps, which LiveKit doesn't take
 * for speech. The screen that is shared is a canvas.
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
    if (!wanted.audio || wanted.video) return open(wanted);
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

/** The loudness of all that was heard, and the number of pictures that were seen. */
const RECEIVED = `(async () => {
  let [energy, frames] = [0, 0];
  for (const connection of window.connections) {
    if (connection.signalingState === "closed") continue;
    for (const one of (await connection.getStats()).values()) {
      if (one.type !== "inbound-rtp") continue;
      energy += one.totalAudioEnergy ?? 0;
      frames += one.framesDecoded ?? 0;
    }
  }
  return { energy, frames };
})()`;

/** How many pictures of the call move. */
const PLAYING = `[...document.querySelectorAll("main video")].filter((video) => !video.paused && video.currentTime > 0).length`;

interface Received {
  energy: number;
  frames: number;
}

describe.skipIf(!hasBrowser() || !hasLiveKit())("calls", () => {
  let livekit: LiveKitServer;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    livekit = await startLiveKit({
      key: KEY,
      secret: SECRET,
      webhookUrl: `http://127.0.0.1:${port}/api/livekit/webhook`,
    });
  });

  const site = useSite(() => ({
    PORT: String(port),
    LIVEKIT_URL: livekit.url,
    LIVEKIT_SERVER_URL: livekit.serverUrl,
    LIVEKIT_KEY: KEY,
    LIVEKIT_SECRET: SECRET,
  }));

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

  afterAll(() => livekit?.stop());

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

  test("a moved user stays muted, and a call is in one tab at a time", async () => {
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
      await button(ring(second), "calls:ring.accept").click();
      await isConnected(second);
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
      await button(ring(second), "calls:ring.decline").click();
      await ring(second).waitFor({ state: "detached" });
      await isConnected(first);
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
