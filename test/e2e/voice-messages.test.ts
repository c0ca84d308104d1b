import type { FanfareClient } from "@fanfare/client";
import type { Attachment, SessionTokens } from "@fanfare/contract";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
/** Chromium's fake microphone beeps; the headless shell has none. */
const MICROPHONE = { permissions: ["microphone"], fullBrowser: true };

/** What has happened to sounds, because short ones end before a test looks. */
const NOTED_SOUNDS = `
  const { Audio } = window;
  window.sounds = [];
  window.Audio = class extends Audio {
    constructor() {
      super();
      for (const type of ["play", "seeked", "ended"])
        this.addEventListener(type, () => window.sounds.push(type + " at " + this.playbackRate));
    }
  };
`;

describe.skipIf(!hasBrowser())("voice messages", () => {
  const site = useSite();
  /** The user who records, and one who listens. */
  let ada: FanfareClient;
  let grace: FanfareClient;
  let tokens: SessionTokens;
  let page: Page;
  let groupId: string;
  let channelId: string;
  let count = 0;

  beforeAll(async () => {
    ({ ada, grace, groupId } = await site.newTeam());
    await Promise.all([ada.connect(), grace.connect()]);
    tokens = await site.logIn("ada");
    page = await site.keepPage(MICROPHONE);
    await page.addInitScript(NOTED_SOUNDS);
  });

  beforeEach(async () => {
    count += 1;
    const { channel } = await ada.call("channel.create", { groupId, name: `room-${count}` });
    channelId = channel.id;
    tokens = await site.logIn("ada");
    await open(page);
  });

  async function open(at: Page, as = tokens): Promise<void> {
    await site.open(at, `/groups/${groupId}/channels/${channelId}`, as);
    await site.loaded(at);
  }

  const name = t("composer:record.name");
  const bar = (at = page) => at.getByRole("group", { name: t("composer:record.label") });
  const stop = (at = page) => bar(at).getByRole("button", { name: t("composer:record.stop") });
  const files = () => page.getByRole("list", { name: t("composer:upload.list") });
  const player = (at: Page) => at.getByRole("group", { name: new RegExp(`^${name}`) });
  const sounds = (at: Page) => at.evaluate<string[]>("window.sounds");
  const position = (at: Page) => player(at).getByRole("slider");

  async function startRecording(at = page): Promise<void> {
    await at.getByRole("button", { name: t("common:add"), exact: true }).click();
    await at.getByRole("menuitem", { name: t("composer:record.start") }).click();
  }

  async function newestFile(): Promise<Attachment | undefined> {
    const { messages } = await grace.call("message.list", { channelId });
    return messages.at(-1)?.attachments?.[0];
  }

  test("a recording is listened to, sent, and played by the other person", async () => {
    await startRecording();
    await bar().getByRole("timer").getByText("0:01").waitFor();
    await expect.poll(() => stop().evaluate((button) => button.matches(":focus"))).toBe(true);
    await page.keyboard.press("Enter");
    await files()
      .getByRole("button", { name: new RegExp(`^Play ${name}`) })
      .click();
    await expect.poll(() => sounds(page)).toContain("play at 1");
    await page.getByRole("textbox", { name: t("composer:label", { title: `#room-${count}` }) }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(newestFile).toMatchObject({
      contentType: "audio/webm",
      recording: { durationMs: expect.any(Number), peaks: expect.stringMatching(/^[0-9a-v]{1,64}$/) },
    });
    const { durationMs, peaks } = (await newestFile())!.recording!;
    expect(durationMs).toBeGreaterThanOrEqual(1000);
    // The fake microphone isn't silent.
    expect(peaks).toContain("v");

    const other = await site.newPage();
    await other.addInitScript(NOTED_SOUNDS);
    await open(other, await site.logIn("grace"));
    await player(other).locator("svg path").first().waitFor();
    await player(other)
      .getByRole("button", { name: t("messages:player.speed", { speed: "1×" }) })
      .click();
    await player(other)
      .getByRole("button", { name: t("messages:player.speed", { speed: "1.5×" }) })
      .waitFor();
    await player(other)
      .getByRole("button", { name: /^Play / })
      .click();
    await expect.poll(() => sounds(other)).toEqual(["play at 1.5", "ended at 1.5"]);
    await position(other).press("ArrowRight");
    await expect.poll(async () => Number(await position(other).inputValue())).toBeGreaterThan(0);
    await expect.poll(() => sounds(other)).toContain("seeked at 1.5");
    // The rest is played from there.
    await player(other)
      .getByRole("button", { name: /^Play / })
      .click();
    await expect.poll(() => sounds(other)).toHaveLength(5);
    await expect.poll(() => position(other).inputValue()).toBe("0");
  });

  test("Esc discards a recording, and leaving the channel keeps it", { tags: "long" }, async () => {
    await startRecording();
    await bar().getByRole("timer").waitFor();
    await page.keyboard.press("Escape");
    await bar().waitFor({ state: "detached" });
    expect(await files().count()).toBe(0);

    await startRecording();
    await bar().getByRole("timer").getByText("0:01").waitFor();
    await site.visit(page, "/direct");
    await page.goBack();
    await files().getByText(name).waitFor();
    expect(await newestFile()).toBeUndefined();
  });

  test("a phone has the microphone where it sends, until there is a text", { tags: "long" }, async () => {
    const phone = await site.newPage({ ...PHONE, ...MICROPHONE });
    await open(phone);
    const microphone = phone.getByRole("button", { name: t("composer:record.start") });
    await phone.getByRole("textbox", { name: t("composer:label", { title: `#room-${count}` }) }).fill("a");
    await phone.getByRole("button", { name: t("composer:send"), exact: true }).waitFor();
    expect(await microphone.count()).toBe(0);
    await phone.getByRole("textbox", { name: t("composer:label", { title: `#room-${count}` }) }).fill("");
    await microphone.tap();
    await bar(phone).getByRole("timer").getByText("0:01").waitFor();
    await stop(phone).tap();
    await phone.getByRole("button", { name: t("composer:send"), exact: true }).tap();
    await expect.poll(newestFile).toMatchObject({ recording: { durationMs: expect.any(Number) } });
  });

  for (const { error, key, tags } of [
    { error: "NotAllowedError", key: "refused", tags: [] },
    { error: "NotFoundError", key: "missing", tags: ["long"] },
    { error: "NotReadableError", key: "failed", tags: ["long"] },
  ])
    test(`${error} of the microphone says what to do`, { tags }, async () => {
      await page.evaluate(
        `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "${error}"))`,
      );
      await startRecording();
      await page
        .getByText(t(`composer:record.${key}`))
        .first()
        .waitFor();
      await expect.poll(() => bar().count()).toBe(0);
    });

  test("a recording ends at its longest duration, and can be sent", { tags: "long" }, async () => {
    await startRecording();
    await bar().getByRole("timer").waitFor();
    // Five minutes later.
    await page.evaluate(`{
      const now = performance.now.bind(performance);
      performance.now = () => now() + 300_000;
    }`);
    await page.getByText(t("composer:record.limit")).waitFor();
    await files().getByText(name).waitFor();
    await page.getByRole("button", { name: t("composer:send"), exact: true }).click();
    await expect.poll(newestFile).toMatchObject({ recording: { durationMs: 300_000 } });
  });
});
