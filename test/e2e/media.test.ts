import type { FanfareClient } from "@fanfare/client";
import type { Message, SessionTokens } from "@fanfare/contract";
import type { CDPSession, Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { pdfWith, toneWav } from "../support/media.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
/** Records a canvas. A string, because the tests have Node's types and not the DOM's. */
const SHORT_VIDEO = `new Promise((resolve) => {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm" });
  const paint = setInterval(() => context.fillRect(0, 0, Math.random() * 300, 100), 20);
  const parts = [];
  recorder.ondataavailable = ({ data }) => {
    if (data.size > 0) parts.push(data);
    // On a busy machine, it takes a while until there are frames.
    if (parts.length === 3 && recorder.state === "recording") recorder.stop();
  };
  recorder.onstop = async () => {
    clearInterval(paint);
    resolve([...new Uint8Array(await new Blob(parts).arrayBuffer())]);
  };
  recorder.start(100);
})`;

/** Whether anything is drawn on a white page. */
const HAS_INK = `{
  const canvas = document.querySelector("dialog canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  data.some((value) => value < 128);
}`;
const SCALE = `new DOMMatrix(getComputedStyle(document.querySelector("dialog canvas")).transform).a`;

type Point = readonly [x: number, y: number];

describe.skipIf(!hasBrowser())("files in messages", () => {
  const site = useSite();
  /** The user in the browser, and one who writes. */
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
    page = await site.keepPage({
      viewport: { width: 1100, height: 700 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
  });

  beforeEach(async () => {
    count += 1;
    const { channel } = await ada.call("channel.create", { groupId, name: `room-${count}` });
    channelId = channel.id;
    tokens = await site.logIn("ada");
  });

  const path = (query = "") => `/groups/${groupId}/channels/${channelId}${query}`;
  async function open(at = page): Promise<void> {
    await site.open(at, path(), tokens);
    await site.loaded(at);
  }

  async function write(
    content: string,
    files: Record<string, Uint8Array<ArrayBuffer>> = {},
  ): Promise<Message> {
    const attachmentIds: string[] = [];
    for (const [name, bytes] of Object.entries(files))
      attachmentIds.push((await grace.upload(channelId, name, new Blob([bytes]))).fileId);
    const nonce = crypto.randomUUID();
    const more = attachmentIds.length > 0 && { attachmentIds };
    return (await grace.call("message.send", { channelId, content, nonce, ...more })).message;
  }

  const log = (at = page) => at.getByRole("log");
  const player = (name: string) => log().getByRole("group", { name, exact: true });
  const play = (name: string) =>
    player(name).getByRole("button", { name: t("messages:player.play", { name }) });
  const isPlaying = (name: string) =>
    player(name).getByRole("button", { name: t("messages:player.pause", { name }) });
  const position = async (name: string) => Number(await player(name).getByRole("slider").inputValue());

  /** Scrolls up until something is there: a list that opens goes to its end. */
  const showBeginning = (what: Locator) =>
    expect
      .poll(async () => {
        await log().evaluate((list) => list.scrollTo({ top: 0 }));
        return what.count();
      })
      .toBe(1);

  test("the pages of a PDF can be turned, zoomed and read by screen readers", { tags: "long" }, async () => {
    await write("the plan", { "plan.pdf": pdfWith(["Build the engine", "Launch"]) });
    await open();
    const show = log().getByRole("button", { name: t("messages:attachment.show", { name: "plan.pdf" }) });
    await show.click();
    const viewer = page.getByRole("dialog", { name: "plan.pdf" });
    await viewer.getByText("Build the engine").waitFor();
    await viewer.getByText(t("messages:viewer.position", { number: 1, total: 2 })).waitFor();
    await expect.poll(() => page.evaluate(HAS_INK)).toBe(true);
    await viewer.getByRole("button", { name: t("messages:pdf.next") }).click();
    await viewer.getByText("Launch").waitFor();
    await page.keyboard.press("PageUp");
    await viewer.getByText("Build the engine").waitFor();
    await page.keyboard.press("+");
    await expect.poll(() => page.evaluate(SCALE)).toBe(1.5);
    const name = t("messages:attachment.download", { name: "plan.pdf" });
    expect(await viewer.getByRole("link", { name }).getAttribute("download")).toBe("plan.pdf");
    await page.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
    await expect.poll(() => show.evaluate((button) => button.matches(":focus"))).toBe(true);
  });

  test("a PDF that can't be shown says why, and can be downloaded", { tags: "long" }, async () => {
    const whole = pdfWith(["Secret"]);
    const large = new Uint8Array(26_000_000);
    large.set(whole);
    await write("odd ones", {
      "locked.pdf": pdfWith(["Secret"], { isLocked: true }),
      "broken.pdf": whole.slice(0, 60),
      "large.pdf": large,
    });
    await open();
    for (const [name, text] of [
      ["locked.pdf", t("messages:pdf.locked")],
      ["broken.pdf", t("messages:pdf.broken")],
      ["large.pdf", t("messages:pdf.tooLarge", { max: "25 MB" })],
    ] as const) {
      await log()
        .getByRole("button", { name: t("messages:attachment.show", { name }) })
        .click();
      const viewer = page.getByRole("dialog", { name });
      await viewer.getByRole("alert").getByText(text).waitFor();
      const started = page.waitForEvent("download");
      await viewer.getByRole("link", { name: t("messages:pdf.download"), exact: true }).click();
      expect((await started).suggestedFilename()).toBe(name);
      await viewer.getByRole("button", { name: t("ui:close") }).click();
      await viewer.waitFor({ state: "detached" });
    }
  });

  test("one sound plays at a time, and continues while its message is scrolled away", async () => {
    await write("listen", { "first.wav": toneWav(60), "second.wav": toneWav(60) });
    await open();
    await play("first.wav").click();
    await isPlaying("first.wav").waitFor();
    await play("second.wav").click();
    await isPlaying("second.wav").waitFor();
    await play("first.wav").waitFor();
    // A click on the bar and the arrow keys go to another place.
    const slider = player("second.wav").getByRole("slider");
    await slider.click();
    await expect.poll(() => position("second.wav")).toBeGreaterThan(20_000);
    const before = await position("second.wav");
    await page.keyboard.press("ArrowRight");
    // Browsers round the position to less than a millisecond.
    await expect.poll(() => position("second.wav")).toBeGreaterThanOrEqual(before + 4999);

    for (let number = 1; number <= 60; number++) await write(`message ${number}`);
    await log().getByText("message 60", { exact: true }).waitFor();
    // Messages with the focus stay in the page.
    await page.getByRole("textbox", { name: t("composer:label", { title: `#room-${count}` }) }).focus();
    await log().getByText("message 60", { exact: true }).click();
    await expect.poll(() => player("second.wav").count()).toBe(0);
    await showBeginning(isPlaying("second.wav"));
    expect(await position("second.wav")).toBeGreaterThan(before + 5000);

    // On another page, nothing could stop it.
    await site.visit(page, "/direct");
    await page.goBack();
    await log().getByText("message 60", { exact: true }).waitFor();
    await showBeginning(play("second.wav"));
  });

  test("a video has its space before it loads, and silences sounds", async () => {
    await open();
    const video = new Uint8Array(await page.evaluate<number[]>(SHORT_VIDEO));
    await write("watch", { "tone.wav": toneWav(60), "clip.webm": video });
    const clip = log().locator("video");
    await clip.waitFor();
    const { width, height } = (await clip.boundingBox())!;
    expect(Math.round((width / height) * 9)).toBe(16);
    await play("tone.wav").click();
    await isPlaying("tone.wav").waitFor();
    await page.evaluate("document.querySelector('video').play()");
    await play("tone.wav").waitFor();
  });

  const squares = async (...names: string[]) => {
    const files: Record<string, Uint8Array<ArrayBuffer>> = {};
    for (const name of names) files[name] = new Uint8Array(await drawSquare("teal", 600));
    return files;
  };
  const viewer = (name: string, at = page) => at.getByRole("dialog", { name, exact: true });
  const picture = (name: string, at = page) => viewer(name, at).getByRole("img");
  const scaleOf = (name: string, at = page) =>
    picture(name, at).evaluate((image) => image.getBoundingClientRect().width / image.offsetWidth);

  test("the viewer goes through the pictures of the channel, zooms, and copies a link", async () => {
    const { id: messageId } = await write("four", await squares("a.png", "b.png", "c.png"));
    await write("one more", await squares("d.png"));
    await open();
    const cells = log().getByRole("button", { name: /^Show [abc]/ });
    await expect.poll(() => cells.count()).toBe(3);
    const boxes = await Promise.all((await cells.all()).map((cell) => cell.boundingBox()));
    expect(new Set(boxes.map((box) => Math.round(box!.width))).size).toBe(1);
    expect(new Set(boxes.map((box) => Math.round(box!.y))).size).toBe(2);

    await cells.nth(1).click();

    await viewer("b.png")
      .getByText(t("messages:viewer.position", { number: 2, total: 4 }))
      .waitFor();
    await page.keyboard.press("ArrowRight");
    await picture("c.png").waitFor();
    await viewer("c.png")
      .getByRole("button", { name: t("messages:attachment.next") })
      .click();
    await picture("d.png").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await picture("c.png").waitFor();

    await page.keyboard.press("+");
    expect(await scaleOf("c.png")).toBeCloseTo(1.5);
    await page.keyboard.press("0");
    await picture("c.png").dblclick();
    await expect.poll(() => scaleOf("c.png")).toBeCloseTo(2.5);
    await picture("c.png").dblclick();
    await expect.poll(() => scaleOf("c.png")).toBe(1);
    await picture("c.png").hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(() => scaleOf("c.png")).toBeGreaterThan(2.5);
    // Zoomed, it moves with the mouse and the arrow keys.
    const before = (await picture("c.png").boundingBox())!;
    await page.mouse.down();
    await page.mouse.move(600, 380, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await picture("c.png").boundingBox())!.x).toBeGreaterThan(before.x);
    await page.keyboard.press("ArrowRight");
    await viewer("c.png").waitFor();

    await viewer("c.png")
      .getByRole("button", { name: t("common:copyLink") })
      .click();
    await viewer("c.png").getByText(t("shared:copied")).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `${site.url}${path(`?message=${messageId}`)}`,
    );
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await cells.first().click();
    await picture("a.png").waitFor();
    await page.mouse.click(100, 600);
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  test("on a phone, fingers swipe between pictures, zoom and close", { tags: "long" }, async () => {
    await write("two", await squares("a.png", "b.png"));
    const phone = await site.newPage(PHONE);
    await open(phone);
    const session = await phone.context().newCDPSession(phone);
    await log(phone).getByRole("button", { name: "Show a.png" }).tap();
    await picture("a.png", phone).waitFor();
    const swipe = (...by: Point) => drag(session, [[195, 350]], [by]);
    await swipe(-120, 0);
    await picture("b.png", phone).waitFor();
    await swipe(120, 0);
    await picture("a.png", phone).waitFor();
    await drag(
      session,
      [
        [175, 350],
        [215, 350],
      ],
      [
        [-60, 0],
        [60, 0],
      ],
    );
    await expect.poll(() => scaleOf("a.png", phone)).toBeGreaterThan(2);
    // A zoomed picture moves instead.
    await swipe(-120, 0);
    await viewer("a.png", phone).waitFor();
    await viewer("a.png", phone)
      .getByRole("button", { name: t("messages:viewer.zoomOut") })
      .tap();
    await phone.keyboard.press("0");
    await expect.poll(() => scaleOf("a.png", phone)).toBe(1);
    await swipe(0, 150);
    await expect.poll(() => phone.getByRole("dialog").count()).toBe(0);
  });

  /** Moves fingers by the distances, and lifts them. */
  async function drag(session: CDPSession, from: readonly Point[], by: readonly Point[]): Promise<void> {
    const at = (part: number) =>
      from.map(([x, y], id) => ({ x: x + by[id]![0] * part, y: y + by[id]![1] * part, id }));
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
    for (let step = 1; step <= 8; step++)
      await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step / 8) });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  describe("the files of a channel", () => {
    const panel = (at = page) =>
      at
        .getByRole("complementary", { name: t("messages:files.title") })
        .or(viewer(t("messages:files.title"), at));
    const names = (at = page) =>
      panel(at).getByRole("listitem").locator("p.truncate.font-medium").allTextContents();
    const choose = async (key: string) => {
      await panel()
        .getByRole("combobox", { name: t("messages:files.kind") })
        .click();
      await page.getByRole("option", { name: t(`messages:files.${key}`), exact: true }).click();
    };

    test("are listed newest first, by kind, and lead to their messages", async () => {
      const { id: oldId } = await write("old", { "plan.txt": new Uint8Array([112, 108, 97, 110]) });
      for (let number = 1; number <= 40; number++) await write(`message ${number}`);
      await write("pictures", await squares("a.png", "b.png"));
      const { id: goneId } = await write("gone", await squares("gone.png"));
      await open();
      await page.getByRole("button", { name: t("messages:files.title"), exact: true }).click();
      await expect.poll(() => names()).toEqual(["gone.png", "a.png", "b.png", "plan.txt"]);
      await grace.call("message.delete", { channelId, messageId: goneId });
      await expect.poll(() => names()).toEqual(["a.png", "b.png", "plan.txt"]);
      await write("sound", { "tone.wav": toneWav(1) });
      await expect.poll(() => names()).toEqual(["tone.wav", "a.png", "b.png", "plan.txt"]);
      await choose("images");
      await expect.poll(() => names()).toEqual(["a.png", "b.png"]);
      await choose("media");
      await expect.poll(() => names()).toEqual(["tone.wav"]);
      await choose("documents");
      await expect.poll(() => names()).toEqual(["plan.txt"]);
      const row = panel().getByRole("listitem");
      expect(await row.innerText()).toContain("Grace");
      await row
        .getByRole("link", { name: t("messages:attachment.download", { name: "plan.txt" }) })
        .waitFor();
      await row.getByRole("button", { name: t("messages:pins.jump") }).click();
      await log().locator(`#message-${oldId}`).getByText("old", { exact: true }).waitFor();
      await choose("images");
      await panel().getByRole("button", { name: "Show a.png" }).click();
      await picture("a.png").waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    });

    test("are in the panel of the pins on a phone", { tags: "long" }, async () => {
      await write("pictures", await squares("a.png"));
      const phone = await site.newPage(PHONE);
      await open(phone);
      await phone.getByRole("button", { name: t("messages:pins.title") }).tap();
      await phone.getByRole("button", { name: t("messages:files.title"), exact: true }).tap();
      await expect.poll(() => names(phone)).toEqual(["a.png"]);
      await panel(phone)
        .getByRole("button", { name: t("messages:pins.jump") })
        .tap();
      await expect.poll(() => panel(phone).count()).toBe(0);
    });
  });
});
