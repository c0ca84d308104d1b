import {
  ACTIONS,
  actionDefinition,
  botScope,
  type ActionName,
  type BotScope,
  type Actor,
} from "@fanfare/contract";
import { expect, test } from "vitest";
import { checkBotScope } from "./access.ts";

const bot = (...scopes: BotScope[]): Actor => ({ userId: "u", sessionId: "s", kind: "bot", scopes });
const refusal = (name: ActionName, actor: Actor | null) => checkBotScope(actionDefinition(name), actor)?.type;

test("a bot can do what its scopes allow", () => {
  expect(refusal("message.send", bot("messages.write"))).toBeUndefined();
  expect(refusal("message.send", bot("messages.read"))).toBe("BOT_NOT_ALLOWED");
  expect(refusal("bot.me", bot())).toBeUndefined();
});

test("a bot without scopes or with unknown scopes can do nothing", () => {
  const { scopes: _scopes, ...unknown } = bot();
  for (const actor of [bot(), unknown]) expect(refusal("message.list", actor)).toBe("BOT_NOT_ALLOWED");
});

test("users need no scope", () => {
  expect(refusal("group.create", { userId: "u", sessionId: "s", kind: "member" })).toBeUndefined();
  expect(refusal("message.send", null)).toBeUndefined();
});

test("bots can't use actions about accounts, other bots, friends or the instance, regardless of scopes", () => {
  const all = bot(...botScope.options);
  const never =
    /^(admin|friend|webhook)\.|^bot\.(create|update|rotateToken|delete|list)$|^(group\.(create|delete|transfer))$|^channel\.openDirect$|^invite\.accept$|^user\.(logout|changePassword|deleteMe|exportMyData|updateProfile|setPreferences|search|block)/;
  const open = (Object.keys(ACTIONS) as ActionName[]).filter((name) => {
    const { rule } = actionDefinition(name).permission;
    return rule !== "internal" && rule !== "public" && refusal(name, all) === undefined;
  });
  expect(open.filter((name) => never.test(name))).toEqual([]);
  expect(open).toContain("message.send");
});
