import {
  type BotEvent,
  type Control,
  type Interaction,
  type Invocation,
  LIMITS,
  type Modal,
  type ModalSubmission,
  type OpenedModal,
} from "@fanfare/contract";
import { must, post, type Person } from "@fanfare/testing";
import type { Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { connectSocket, createPlace, createReceiver, say, until, type Place } from "./place.ts";

let instance: Instance;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  instance = await startInstance({ OUTBOUND_ALLOW: "127.0.0.1/32" });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => instance.stop());

const ASK: Control = { kind: "button", id: "ask", label: "Ask" };
const MODAL: Modal = {
  id: "ticket:7",
  title: "New ticket",
  submitLabel: "Create",
  fields: [
    { kind: "text", id: "title", label: "Title", required: true, maxChars: 20 },
    { kind: "select", id: "team", label: "Team", options: [{ value: "a", label: "A" }] },
    { kind: "checkbox", id: "urgent", label: "Urgent", initial: true },
  ],
};
const VALUES = { title: "Printer", team: "a", urgent: false };

async function connect(token: string): Promise<Socket> {
  const socket = await connectSocket(instance.url, token);
  closers.push(() => socket.disconnect());
  return socket;
}

async function modalsOf({ accessToken }: Person): Promise<OpenedModal[]> {
  const opened: OpenedModal[] = [];
  const socket = await connect(accessToken);
  socket.on("modal.opened", ({ modal }: { modal: OpenedModal }) => opened.push(modal));
  return opened;
}

async function sendButton({ channelId, token }: Place) {
  const message = { ...say(channelId, "Well?"), controls: [ASK] };
  const sent = await must(instance.url, "message.send", message, token);
  return { channelId, messageId: sent.message.id, controlId: "ask" };
}

/** Again if a busy machine took longer than a bot may. */
const untilAnswered = <R>(
  call: () => Promise<{ ok: true; data: R } | { ok: false; error: { type: string } }>,
) =>
  until(async () => {
    const answer = await call();
    if (!answer.ok && answer.error.type !== "BOT_NOT_RESPONDING") throw new Error(answer.error.type);
    return answer.ok ? answer.data : null;
  });
const press = (person: Person, params: Awaited<ReturnType<typeof sendButton>>) =>
  untilAnswered(() => post(instance.url, "interaction.create", params, person.accessToken));
const submit = (person: Person, channelId: string, modalId: string, values: object = VALUES) =>
  post(instance.url, "modal.submit", { channelId, modalId, values } as never, person.accessToken);

/** A bot on a socket, which opens the modal at each button and command. */
async function startBot(place: Place, errorsOf: (submission: ModalSubmission) => object) {
  const socket = await connect(place.token);
  const submissions: ModalSubmission[] = [];
  const triggers: string[] = [];
  const call = (name: never, params: object) => must(instance.url, name, params as never, place.token);
  const open = async (trigger: string) => {
    triggers.push(trigger);
    await call("modal.open" as never, { trigger, modal: MODAL });
  };
  socket.on("interaction.created", async ({ interaction }: { interaction: Interaction }) => {
    await open(interaction.trigger);
    await call("interaction.acknowledge" as never, { interactionId: interaction.id });
  });
  socket.on("command.invoked", ({ invocation }: { invocation: Invocation }) => open(invocation.trigger));
  socket.on("modal.submitted", async ({ submission }: { submission: ModalSubmission }) => {
    submissions.push(submission);
    const { id: interactionId } = submission;
    await call("interaction.acknowledge" as never, { interactionId, errors: errorsOf(submission) });
  });
  return { submissions, triggers };
}

describe("a bot on a socket", () => {
  test("opens a modal for who has pressed a button, and receives its values", async () => {
    const place = await createPlace(instance.url);
    const { member, owner } = place.world;
    const [seen, seenByOwner] = [await modalsOf(member), await modalsOf(owner)];
    const { submissions, triggers } = await startBot(place, () => ({}));
    const { interactionId } = await press(member, await sendButton(place));
    const opened = await until(() => seen.find(({ id }) => id === interactionId));
    expect(opened).toMatchObject({ botId: place.botId, channelId: place.channelId, modal: MODAL });
    expect(Date.parse(opened.expiresAt) - Date.now()).toBeLessThanOrEqual(LIMITS.modalLifetimeMs);
    expect(seenByOwner).toEqual([]);
    const { submissionId, errors } = await untilAnswered(() => submit(member, place.channelId, opened.id));
    expect(errors).toEqual({});
    expect(submissions.at(-1)).toMatchObject({
      id: submissionId,
      modalId: "ticket:7",
      values: VALUES,
      userId: member.userId,
      channelId: place.channelId,
      groupId: place.groupId,
    });
    // It is over, and its submission can open the next one.
    expect(await submit(member, place.channelId, opened.id)).toMatchObject({
      error: { type: "MODAL_NOT_FOUND" },
    });
    expect(triggers).not.toContain(submissions.at(-1)!.trigger);
    const next = { trigger: submissions.at(-1)!.trigger, modal: { ...MODAL, title: "Next" } };
    await must(instance.url, "modal.open", next, place.token);
    await until(() => seen.some(({ id, modal }) => id === submissionId && modal.title === "Next"));
  });

  test("opens one for a command, and its errors keep it open", async () => {
    const place = await createPlace(instance.url);
    const { member } = place.world;
    const seen = await modalsOf(member);
    const { submissions } = await startBot(place, ({ values }) =>
      values["title"] === "Printer" ? { title: "There is one already" } : {},
    );
    await must(instance.url, "command.register", { name: "ticket", description: "New ticket" }, place.token);
    const invoke = { channelId: place.channelId, name: "ticket" };
    const { invocation } = await must(instance.url, "command.invoke", invoke, member.accessToken);
    await until(() => seen.some(({ id }) => id === invocation.id));
    const first = await untilAnswered(() => submit(member, place.channelId, invocation.id));
    expect(first.errors).toEqual({ title: "There is one already" });
    const changed = { ...VALUES, title: "Scanner" };
    const second = await untilAnswered(() => submit(member, place.channelId, invocation.id, changed));
    expect(second.errors).toEqual({});
    expect(submissions.at(-1)!.values).toEqual(changed);
  });

  test("receives nothing that doesn't fit the fields, nor from others, nor from muted members", async () => {
    const place = await createPlace(instance.url);
    const { channelId, groupId, world } = place;
    const { member, owner } = world;
    const { submissions } = await startBot(place, () => ({}));
    const { interactionId } = await press(member, await sendButton(place));
    const typeOf = async (values: object, person = member) => {
      const answer = await submit(person, channelId, interactionId, values);
      return answer.ok ? "ok" : answer.error.type;
    };
    for (const wrong of [
      { title: "" },
      { title: true },
      { title: "x".repeat(21) },
      { team: "b" },
      { urgent: "yes" },
      { title: undefined },
    ])
      expect(await typeOf({ ...VALUES, ...wrong })).toBe("VALIDATION_FAILED");
    expect(await typeOf({ ...VALUES, more: "x".repeat(LIMITS.modalMaxChars) })).toBe("VALIDATION_FAILED");
    expect(await typeOf(VALUES, owner)).toBe("MODAL_NOT_FOUND");
    const ofMember = { groupId, userId: member.userId };
    await must(instance.url, "group.mute", { ...ofMember, durationMs: 60_000 }, owner.accessToken);
    expect(await typeOf(VALUES)).toBe("MUTED");
    await must(instance.url, "group.unmute", ofMember, owner.accessToken);
    expect(submissions).toEqual([]);
    await untilAnswered(() => submit(member, channelId, interactionId, { ...VALUES, team: "", more: "x" }));
    expect(submissions.at(-1)!.values).toEqual({ ...VALUES, team: "" });
  });

  test("opens no modal with the trigger of another bot, a forged one, or after the time for it", async () => {
    const place = await createPlace(instance.url);
    const { triggers } = await startBot(place, () => ({}));
    const { interactionId } = await press(place.world.member, await sendButton(place));
    const params = { groupId: place.groupId, name: "Other", scopes: ["messages.write" as const] };
    const other = await must(instance.url, "bot.create", params, place.world.owner.accessToken);
    const open = (trigger: string, token: string, modal: object = MODAL) =>
      post(instance.url, "modal.open", { trigger, modal } as never, token) as Promise<object>;
    const expired = { error: { type: "TRIGGER_EXPIRED" } };
    expect(await open(triggers.at(-1)!, other.token)).toMatchObject(expired);
    expect(await open("v1.AAAA", place.token)).toMatchObject(expired);
    for (const fields of [
      [],
      [MODAL.fields[0], MODAL.fields[0]],
      Array.from({ length: LIMITS.fieldsPerModal + 1 }, (_, n) => ({ ...MODAL.fields[2], id: `${n}` })),
    ])
      expect(await open(triggers.at(-1)!, place.token, { ...MODAL, fields })).toMatchObject({
        error: { type: "VALIDATION_FAILED" },
      });
    const past = new Date(Date.now() - 1);
    await instance.collection("botModals").updateMany({}, { $set: { expiresAt: past } });
    expect(await submit(place.world.member, place.channelId, interactionId)).toMatchObject({
      error: { type: "MODAL_NOT_FOUND" },
    });
  });
});

describe("a bot with a callback", () => {
  test("opens a modal in its response, and rejects values in the next one", async () => {
    const place = await createPlace(instance.url);
    const { member } = place.world;
    const seen = await modalsOf(member);
    const answers: Record<string, object> = {
      "interaction.created": { modal: MODAL },
      "modal.submitted": { response_action: "errors", errors: { team: "Choose another team" } },
    };
    const receiver = await createReceiver(({ body }) => answers[body.events[0]!.type] ?? {});
    closers.push(receiver.close);
    const events: BotEvent[] = ["interaction.created", "modal.submitted"];
    const subscription = { url: receiver.url, secret: "a secret of the bot", events };
    await must(instance.url, "bot.subscribe", subscription, place.token);
    const { interactionId } = await press(member, await sendButton(place));
    await until(() => seen.some(({ id }) => id === interactionId));
    const send = () => untilAnswered(() => submit(member, place.channelId, interactionId));
    expect((await send()).errors).toEqual({ team: "Choose another team" });
    answers["modal.submitted"] = { response_type: "in_channel", text: "Created" };
    expect((await send()).errors).toEqual({});
    const { messages } = await must(
      instance.url,
      "message.list",
      { channelId: place.channelId },
      member.accessToken,
    );
    expect(messages.map(({ content }) => content)).toContain("Created");
    const { headers, body } = receiver.received.at(-1)!;
    expect(headers["fanfare-signature"]).toMatch(/^v1=[0-9a-f]{64}$/);
    expect(body.events).toMatchObject([{ type: "modal.submitted", submission: { values: VALUES } }]);
  });
});
