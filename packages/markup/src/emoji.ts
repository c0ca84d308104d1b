import shortcodes from "emojibase-data/en/shortcodes/iamcal.json" with { type: "json" };

const CODE = /(?<!\w):([a-z0-9_+'-]{1,60}):(?::skin-tone-[2-6]:)?/g;
/** The second of Slack's six skin tones; the first is none. */
const LIGHTEST_SKIN = 0x1f3fb;

/** The names that Slack and Mattermost use. */
const byName = new Map(
  Object.entries(shortcodes as Record<string, string | string[]>).flatMap(([hex, names]) =>
    [names].flat().map((name) => [name, emojiOf(hex)] as const),
  ),
);

/** Replaces `:tada:` by the emoji. Other names stay: a group can have its own emoji. */
export const withEmoji = (text: string): string =>
  text.replace(CODE, (code, name: string) => byName.get(name) ?? code);

/** The emoji with a name such as `wave` or `wave::skin-tone-3`; undefined if there is none. */
export function emojiByName(name: string): string | undefined {
  const [base = "", tone] = name.split("::skin-tone-");
  const emoji = byName.get(base);
  if (emoji === undefined || !/^[2-6]$/.test(tone ?? "")) return emoji;
  const toned = emoji.replace("\uFE0F", "") + String.fromCodePoint(LIGHTEST_SKIN - 2 + Number(tone));
  return /^\p{RGI_Emoji}$/v.test(toned) ? toned : emoji;
}

function emojiOf(hex: string): string {
  const emoji = String.fromCodePoint(...hex.split("-").map((point) => Number.parseInt(point, 16)));
  return /^\p{RGI_Emoji}$/v.test(emoji) ? emoji : `${emoji}\uFE0F`;
}
