import { describe, expect, test } from "vitest";
import { GroupSchema } from "./entities/group.ts";
import { PreferencesSchema } from "./entities/user.ts";
import {
  bio,
  emoji,
  fileName,
  groupDescription,
  groupName,
  messageContent,
  newUsername,
  nickname,
  nonce,
  reason,
  storedName,
  topic,
  username,
} from "./entities.ts";
import { LIMITS } from "./limits.ts";

const LONE_SURROGATES = ["\ud800", "a\udfff", "\udc00\ud800", "👍".slice(0, 1)];

describe("names", () => {
  test.each(["Ada", "  Ada  ", "👩‍👩‍👧", "می‌خواهم", "עברית and English", "é", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])("%j is valid", (name) => {
    expect(nickname.parse(name)).toBe(name.trim());
  });

  test.each([
    ["nothing to see", "\u200b"],
    ["a Hangul filler", "\u3164"],
    ["tags alone", "\u{e0041}"],
    ["a line break", "a\nb"],
    ["a line separator", "a\u2028b"],
    ["NUL", "a\0b"],
    ["an override of the direction", "\u202egnp.exe"],
    ["an isolate", "\u2067a"],
    ...LONE_SURROGATES.map((text): [string, string] => ["half a character", text]),
  ])("%s is not a valid name", (_what, name) => {
    expect(nickname.safeParse(name).success).toBe(false);
    expect(groupName.safeParse(name).success).toBe(false);
  });
});

describe("lookalikes", () => {
  const families = ["👨‍👩‍👧‍👦", "🏳️‍🌈", "👋🏽", "1️⃣", "🇪🇺", "❤️"];
  test.each([...families, "می‌خواهم", "क्‍ष", "葛\u{e0100}城", "Αθήνα", "Привет Ann", "José", "Nguyễn", "ภู่"])(
    "%j is a name",
    (name) => {
      for (const schema of [nickname, groupName]) expect(schema.safeParse(name).success).toBe(true);
    },
  );

  test.each([
    ["the braille blank", "a\u2800b"],
    ["a zero-width space", "ad\u200bmin"],
    ["a joiner between Latin letters", "ad\u200dmin"],
    ["a soft hyphen", "ad\u00admin"],
    ["an Arabic letter mark", "a\u061cb"],
    ["a direction mark", "a\u200eb"],
    ["tags after a letter", "a\u{e0061}\u{e007f}"],
    ["a variant of a Latin letter", "a\ufe0f"],
    ["many accents on one letter", `x${"\u0301".repeat(5)}`],
    ["a Cyrillic letter in a Latin word", "\u0430dmin"],
    ["a Greek letter in a Latin word", "adm\u03b9n"],
  ])("%s is rejected", (_what, name) => {
    for (const schema of [nickname, groupName]) expect(schema.safeParse(name).success).toBe(false);
  });

  test.each(["@everyone", "Everyone", "@ here", "＠ＡＬＬ"])("%j is not a valid nickname", (name) => {
    const { error } = nickname.safeParse(name);
    expect(error?.issues[0]?.message).toContain("choose another name");
  });

  test("don't invalidate stored names and file names", () => {
    expect(storedName(32).safeParse("ad\u00admin").success).toBe(true);
    expect(fileName.safeParse("re\u0301sume\u0301 \u0430bc.pdf").success).toBe(true);
  });
});

describe("messages", () => {
  test("preserve line breaks, direction marks and spaces", () => {
    const content = " a\n\tb \u202bעברית\u202c ";
    expect(messageContent.parse(content)).toBe(content);
  });

  test("must have visible characters", () => {
    for (const content of ["", " \n", "\u200b\u200d", "\ufeff\u3164"])
      expect(messageContent.safeParse(content).success).toBe(false);
  });

  test("and their nonces can't have unpaired surrogates, which would be stored as other characters", () => {
    for (const text of LONE_SURROGATES) {
      expect(messageContent.safeParse(text).success).toBe(false);
      expect(nonce.safeParse(text).success).toBe(false);
    }
  });
});

describe("reactions", () => {
  test.each(["👍", "👍🏽", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪", "1️⃣"])("%s is an emoji", (text) => {
    expect(emoji.safeParse(text).success).toBe(true);
  });

  test.each(["0123456789abcdef01234567", ":party:", "a", "", "👍👍", "1"])("%j is not an emoji", (text) => {
    expect(emoji.safeParse(text).success).toBe(false);
  });
});

test.each(["everyone", "HERE", "channel", "all"])("new accounts can't have the username %s", (name) => {
  expect(newUsername.safeParse(name).success).toBe(false);
  expect(newUsername.safeParse(`${name}1`).success).toBe(true);
  // Accounts with the name can still be found.
  expect(username.safeParse(name).success).toBe(true);
});

describe("multi-line texts", () => {
  test.each([bio, groupDescription, reason, topic])(
    "can have tabs and line breaks but no other control characters",
    (text) => {
      expect(text.parse("a\tb\r\nc")).toBe("a\tb\r\nc");
      for (const control of ["\0", "\u001b", "\u007f", "\u0085"])
        expect(text.safeParse(`a${control}b`).error?.issues[0]?.message).toMatch("control characters");
    },
  );

  test("all groups of a user fit into one result", () => {
    const [id, time] = ["f".repeat(24), new Date(0).toISOString()];
    const group = {
      id,
      name: groupName.parse("群".repeat(LIMITS.groupNameMaxChars)),
      description: groupDescription.parse("群".repeat(LIMITS.groupDescriptionMaxChars)),
      ownerId: id,
      memberCount: LIMITS.membersPerGroup,
      iconUrl: `/files/${"f".repeat(100)}`,
      defaultChannelId: id,
      systemChannelId: id,
      defaultPermissions: 2 ** 31,
      retentionDays: LIMITS.retentionMaxDays,
      listed: false,
      needsApproval: false,
      raidLimit: LIMITS.raidLimitMax,
      lockdownUntil: time,
      createdAt: time,
    };
    expect(GroupSchema.parse(group)).toEqual(group);
    const bytes = Buffer.byteLength(
      JSON.stringify({ groups: Array.from({ length: LIMITS.groupsPerUser }, () => group) }),
    );
    expect(bytes).toBeLessThanOrEqual(LIMITS.answerMaxBytes);
  });
});

test("all templates of a user together fit into a request", () => {
  const withTexts = (chars: number) => ({
    templates: [1, 2].map((number) => ({ name: `t${number}`, text: "文".repeat(chars) })),
  });
  const most = withTexts(LIMITS.templatesMaxChars / 2 - 2);
  expect(PreferencesSchema.safeParse(most).success).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(most))).toBeLessThan(64 * 1024);
  expect(PreferencesSchema.safeParse(withTexts(LIMITS.templatesMaxChars / 2 - 1)).success).toBe(false);
});
