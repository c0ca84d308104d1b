import { z } from "zod";
import { LIMITS, LOCALES } from "../limits.ts";

/** A visible character, as opposed to spaces, control characters and ignorable characters. */
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
export const isVisible = (text: string): boolean => VISIBLE.test(text);
/** Control characters, line breaks and direction overrides: a name must not affect the text around it. */
const NOT_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Unpaired surrogates can't be stored: they would be replaced by another character. */
export const wellFormed = z
  .string()
  .refine((text) => text.isWellFormed(), "must not have unpaired surrogates");
/** Multi-line text. */
const plainText = wellFormed.refine(
  (text) => !/[^\P{Cc}\t\n\r]/u.test(text),
  "must not have control characters other than tabs and line breaks",
);
/** A stored name or a file name, which rules for new names don't invalidate. */
export const storedName = (maxChars: number) =>
  wellFormed
    .trim()
    .min(1)
    .max(maxChars)
    .refine(isVisible, "must have a visible character")
    .refine((name) => !NOT_IN_NAMES.test(name), "must not have control characters");
const displayName = (maxChars: number) =>
  storedName(maxChars)
    .refine((name) => !hasInvisible(name), "must not have invisible characters: remove them")
    .refine(
      (name) => !hasStackedMarks(name),
      `must not have more than ${LIMITS.marksPerCharacter} accents on one letter`,
    )
    .refine(
      (name) => !mixesScripts(name),
      "must not mix Latin, Cyrillic and Greek letters in one word: use one alphabet",
    );

/** A schema with a name in the generated documents. */
export const entity = <S extends z.ZodRawShape>(name: string, shape: S) => z.object(shape).meta({ id: name });

/** Retention of messages in days. */
export const retentionDays = z.int().min(1).max(LIMITS.retentionMaxDays);

export const id = z.string().regex(/^[0-9a-f]{24}$/, "must be an id of 24 hexadecimal digits");
export const ofUser = z.object({ userId: id });
export const ofUsers = z.object({ userIds: z.array(id).min(1).max(LIMITS.usersPerLookup) });
export const inGroup = z.object({ groupId: id });
export const inChannel = z.object({ channelId: id });
export const oneMessage = inChannel.extend({ messageId: id });
/** Pictures of users, groups and this instance are public to everyone who knows their URL. */
export const ofUploadedPicture = z.object({
  fileId: id.describe("a picture uploaded by the caller with file.uploadPicture"),
});
/** The maximum number of items of a page. */
export const pageLimit = z.int().min(1).max(LIMITS.pageMaxItems).default(50);
/** Of lists that are ordered by their last activity. */
export const activityCursor = z.string().regex(/^\d{1,15}-[0-9a-f]{24}$/, "must be the cursor of a page");
const ofPageBefore = "the nextCursor of the page before";
const isLastPage = "null: this is the last page";
export const page = z.object({ cursor: id.optional().describe(ofPageBefore), limit: pageLimit });
export const nextCursor = id.nullable().describe(isLastPage);
export const activityPage = page.extend({ cursor: activityCursor.optional().describe(ofPageBefore) });
export const nextActivityCursor = activityCursor.nullable().describe(isLastPage);
export const pageOfUsers = z.object({ afterUserId: id.optional(), limit: pageLimit });
export const time = z.iso.datetime({ precision: 3 }).describe("ISO 8601 with milliseconds, UTC");
export const seq = z.int().min(0);
export const username = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}}$`),
    `must be ${LIMITS.usernameMinChars}-${LIMITS.usernameMaxChars} letters, digits, '.', '_' or '-'`,
  );
/** For new accounts; earlier versions accepted any username. */
export const newUsername = username.refine(
  (name) => !/^(?:all|channel|everyone|here)$/i.test(name),
  "must not read like a mention of everyone: choose another name",
);
export const nickname = displayName(LIMITS.nicknameMaxChars).refine(
  (name) => !readsLikeMassMention(name),
  "must not read like a mention of everyone: choose another name",
);
export const bio = plainText.trim().max(LIMITS.bioMaxChars);
export const savedSearchText = plainText.trim().min(1).max(LIMITS.savedSearchMaxChars);
export const passkeyName = storedName(LIMITS.passkeyNameMaxChars);
export const templateName = plainText.trim().min(1).max(LIMITS.templateNameMaxChars);
export const templateText = wellFormed.min(1).max(LIMITS.messageMaxChars);
export const customStatusText = plainText.trim().max(LIMITS.customStatusMaxChars);
export const language = z
  .string()
  .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/, "must be a language such as de");
export const locale = z.enum(LOCALES);
/** The id of an OIDC or SAML provider. */
export const oidcProvider = z.string().min(1).max(32);
export const password = z.string().min(LIMITS.passwordMinChars).max(LIMITS.passwordMaxChars);
export const email = z.email().max(LIMITS.emailMaxChars);
export const instanceName = displayName(LIMITS.instanceNameMaxChars);
export const landingText = plainText.trim().max(LIMITS.landingTextMaxChars);
export const color = z
  .string()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, "must be a color such as #c8401b");
export const groupName = displayName(LIMITS.groupNameMaxChars);
export const channelName = displayName(LIMITS.channelNameMaxChars);
export const roleName = displayName(LIMITS.roleNameMaxChars);
export const fileName = storedName(LIMITS.fileNameMaxChars);
export const topic = plainText.trim().max(LIMITS.topicMaxChars);
export const groupDescription = plainText.trim().max(LIMITS.groupDescriptionMaxChars);
export const reason = plainText.trim().min(1).max(LIMITS.reasonMaxChars);
export const reportDetails = plainText.trim().max(LIMITS.reportDetailsMaxChars);
export const draftContent = wellFormed.max(LIMITS.draftMaxChars);
export const pollOption = plainText.trim().min(1).max(LIMITS.pollOptionMaxChars);
export const messageContent = wellFormed.max(LIMITS.messageMaxChars).refine(isVisible, "must not be empty");
/** A text of a card or control without markup. */
export const cardLine = plainText
  .trim()
  .min(1)
  .max(LIMITS.cardLineMaxChars)
  .refine(isVisible, "must not be empty");
export const cardFieldName = plainText.trim().max(LIMITS.cardLineMaxChars);
export const cardText = (maxChars: number) =>
  wellFormed.trim().min(1).max(maxChars).refine(isVisible, "must not be empty");
/** An announcement of the admins to all users. */
export const notice = wellFormed
  .trim()
  .min(1)
  .max(LIMITS.noticeMaxChars)
  .refine(isVisible, "must not be empty");
export const nonce = wellFormed
  .min(1)
  .max(LIMITS.nonceMaxChars)
  .describe("Chosen by the sender; a nonce never creates a second message.");
const EMOJI = /^\p{RGI_Emoji}$/v;
export const emoji = z
  .string()
  .max(LIMITS.emojiMaxChars)
  .refine((text) => EMOJI.test(text), "must be one emoji");
const NAME = `[a-z0-9_-]{${LIMITS.emojiNameMinChars},${LIMITS.emojiNameMaxChars}}`;
export const emojiName = z
  .string()
  .regex(
    new RegExp(`^${NAME}$`),
    `must be ${LIMITS.emojiNameMinChars}-${LIMITS.emojiNameMaxChars} of a-z, 0-9, '_' and '-'`,
  );
/** Also of emoji, whose names have fewer characters. */
export const stickerName = storedName(LIMITS.stickerNameMaxChars);
export const emojiKind = z
  .enum(["emoji", "sticker", "gif"])
  .describe("emoji are used in texts and reactions, stickers and GIFs are messages of their own");
const emojiCode = z.string().regex(new RegExp(`^:${NAME}:$`));
export const reactionEmoji = z
  .union([emoji, emojiCode], "must be one emoji")
  .describe("an emoji, or one of the group's own by its name, such as `:parrot:`");
/** The emoji of a stored reaction: earlier versions also accepted ids. */
export const storedEmoji = z.union([emoji, emojiCode, id], "must be one emoji");
export const mentionKey = z.string().regex(/^(u|r|all):[0-9a-f]{24}$/, "must be a key of a mention");

/** A single emoji as entered by keyboards, including joiners and tags. */
const ANY_EMOJI = /\p{RGI_Emoji}/gv;
/** Text and emoji presentation of a single character. */
const PRESENTATION = /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu;
/** Scripts in which a joiner or non-joiner between two letters changes the word: Persian می‌خواهم, Indic conjuncts. */
const JOINING =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}" +
  "\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}";
const JOINERS = new RegExp(`(?<=[${JOINING}]\\p{M}*)[\\u200c\\u200d](?=[${JOINING}])`, "gu");
/** Variants of Han characters in Japanese names, and of Mongolian letters. */
const VARIANTS = /(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]/gu;

/** Invisible characters, including the braille blank and annotation anchors. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;
const STACKED_MARKS = new RegExp(`[\\p{Mn}\\p{Me}]{${LIMITS.marksPerCharacter + 1}}`, "u");
const WORD = /[\p{L}\p{M}]+/gu;
/** Scripts with similar letters; a word that mixes them can imitate another one. */
const LOOKALIKE_SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
/** Names that would read like a mention of many people. */
const MASS_MENTION = /^(?:@\s*(?:all|channel|everyone|here)|everyone|here)$/u;

/** Whether a name has invisible characters, other than those required by emoji and scripts. */
export function hasInvisible(name: string): boolean {
  const rest = name
    .replaceAll(ANY_EMOJI, " ")
    .replaceAll(PRESENTATION, "")
    .replaceAll(JOINERS, "")
    .replaceAll(VARIANTS, "");
  return INVISIBLE.test(rest);
}

export function hasStackedMarks(name: string): boolean {
  return STACKED_MARKS.test(name.normalize("NFC"));
}

/** Whether a word mixes Latin, Cyrillic and Greek letters, as in "аdmin" with a Cyrillic "а". */
export function mixesScripts(name: string): boolean {
  return [...name.matchAll(WORD)].some(
    ([word]) => LOOKALIKE_SCRIPTS.filter((script) => script.test(word)).length > 1,
  );
}

export function readsLikeMassMention(name: string): boolean {
  return MASS_MENTION.test(name.normalize("NFKC").trim().toLowerCase());
}
