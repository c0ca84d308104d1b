import { zipOf } from "./convert.ts";

// Small exports with the structures of the formats' documentation and of public samples. All names and texts are invented.

/** The structures of https://github.com/zulip/zulip/tree/main/zerver/tests/fixtures/slack_fixtures and of Slack's help pages. */
export const slackFiles = (): Record<string, unknown> => ({
  "users.json": [
    { id: "U1", name: "ada", real_name: "Ada L.", is_primary_owner: true, profile: { display_name: "Ada" } },
    { id: "U2", name: "grace", real_name: "Grace", profile: { display_name: "", real_name: "Grace H." } },
    { id: "U3", name: "left.user", deleted: true, profile: { real_name: "Gone" } },
    { id: "USLACKBOT", name: "slackbot", profile: { real_name: "Slackbot" } },
  ],
  "channels.json": [
    {
      id: "C1",
      name: "general",
      created: 1_500_000_000,
      is_general: true,
      members: ["U1", "U2"],
      topic: { value: "All &amp; more" },
      pins: [{ id: "1500000010.000200", type: "C", created: 1_500_000_900, user: "U2", owner: "U1" }],
    },
    { id: "C2", name: "old", created: "1500000001", is_archived: true, purpose: { value: "Before" } },
  ],
  "groups.json": [{ id: "G1", name: "secret", created: 1_500_000_002, members: ["U2"] }],
  "dms.json": [{ id: "D1", members: ["U1", "U2"] }],
  "mpims.json": [{ id: "G9", name: "mpdm-ada--grace-1", members: ["U1", "U2", "U3"] }],
  "general/2017-07-14.json": [
    {
      type: "message",
      subtype: "channel_join",
      user: "U2",
      ts: "1500000005.000100",
      text: "<@U2> has joined the channel",
    },
    {
      type: "message",
      user: "U1",
      ts: "1500000010.000200",
      thread_ts: "1500000010.000200",
      text: "Hello <@U2>, see *this* in <#C2|old>: <https://example.org/a?b=1&amp;c=2|the page> &lt;3 :tada:",
      edited: { user: "U1", ts: "1500000060.000000" },
      reply_count: 2,
      reactions: [
        { name: "+1", users: ["U1", "U2"], count: 2 },
        { name: "thumbsup", users: ["U2"], count: 1 },
        { name: "wave::skin-tone-3", users: ["U2"], count: 1 },
        { name: "party_parrot", users: ["U1"], count: 3 },
      ],
    },
    {
      type: "message",
      user: "U2",
      ts: "1500000030.000300",
      text: "a file",
      files: [
        {
          id: "F1",
          name: "plan.pdf",
          title: "Plan",
          url_private: "https://files.slack.com/files-pri/T1-F1/plan.pdf?token=xoxe-1-2-3",
        },
        { id: "F2", mode: "tombstone" },
      ],
    },
  ],
  "general/2017-07-15.json": [
    {
      type: "message",
      user: "U2",
      ts: "1500087000.000100",
      thread_ts: "1500000010.000200",
      text: "first reply",
    },
    {
      type: "message",
      subtype: "thread_broadcast",
      user: "U1",
      ts: "1500087010.000100",
      thread_ts: "1500000010.000200",
      text: "everyone should see this",
    },
    {
      type: "message",
      user: "U1",
      ts: "1500087020.000100",
      thread_ts: "1400000000.000100",
      text: "reply to nothing",
    },
    {
      type: "message",
      subtype: "bot_message",
      bot_id: "B1",
      username: "Builds",
      ts: "1500087030.000100",
      text: "",
      attachments: [
        {
          fallback: "failed",
          title: "Build 7",
          title_link: "https://ci.example.org/7",
          text: "It *failed*.",
        },
      ],
    },
    {
      type: "message",
      user: "U9",
      user_profile: { real_name: "Visitor" },
      ts: "1500087040.000100",
      text: "from elsewhere, not `*code*`",
    },
    { type: "message", user: "U1", ts: "never", text: "no time" },
    "not a message",
  ],
  "old/2017-07-14.json": [{ type: "message", user: "U3", ts: "1500000020.000100", text: "the past" }],
  "secret/2017-07-14.json": [{ type: "message", user: "U2", ts: "1500000021.000100", text: "between us" }],
  "D1/2017-07-14.json": [
    {
      type: "message",
      user: "U1",
      ts: "1500000022.000100",
      thread_ts: "1500000022.000100",
      text: "private words",
      edited: { user: "U1", ts: "1500000023.000000" },
      reactions: [{ name: "heart", users: ["U2"], count: 1 }],
    },
    {
      type: "message",
      user: "U2",
      ts: "1500000024.000100",
      thread_ts: "1500000022.000100",
      text: "a private reply",
    },
  ],
  "mpdm-ada--grace-1/2017-07-14.json": [
    { type: "message", user: "U3", ts: "1500000025.000100", text: "the three of us" },
  ],
});

export const slackExport = (): Buffer => zipOf(slackFiles());

const author = (id: string, name: string, nickname = name, isBot = false) => ({
  id,
  name,
  discriminator: "0000",
  nickname,
  color: null,
  isBot,
  roles: [],
  avatarUrl: "https://cdn.discordapp.com/embed/avatars/0.png",
});
/** The id that Discord would have given at a time. */
const snowflake = (time: string, n = 0): string =>
  String((BigInt(Date.parse(time) - 1_420_070_400_000) << 22n) + BigInt(n));

const ada = author("300000000000000001", "ada", "Ada");
const grace = author("300000000000000002", "grace", "Grace");
const guild = { id: snowflake("2021-01-01T00:00:00Z"), name: "The Club", iconUrl: "" };
const root = snowflake("2021-02-01T10:00:00Z");
const general = {
  id: snowflake("2021-01-01T00:00:01Z"),
  type: "GuildTextChat",
  categoryId: "5",
  category: "Talk",
  name: "general",
  topic: "Anything",
};
const message = (id: string, by: typeof ada, content: string, more: object = {}) => ({
  id,
  type: "Default",
  timestamp: "2021-02-01T10:00:00+00:00",
  timestampEdited: null,
  callEndedTimestamp: null,
  isPinned: false,
  content,
  author: by,
  attachments: [],
  embeds: [],
  stickers: [],
  reactions: [],
  mentions: [],
  inlineEmojis: [],
  ...more,
});
const emoji = (name: string, id = "") => ({ id, name, code: name, isAnimated: false, imageUrl: "" });

/** As JsonMessageWriter.cs of https://github.com/Tyrrrz/DiscordChatExporter writes it. */
export const discordFiles = (): Record<string, string> => ({
  "thread.json": JSON.stringify({
    guild,
    channel: {
      id: root,
      type: "GuildPublicThread",
      categoryId: general.id,
      category: "general",
      name: "Plans",
      topic: null,
    },
    dateRange: { after: null, before: null },
    exportedAt: "2023-06-15T13:00:00+00:00",
    messages: [
      message(root, ada, "", { type: "ThreadStarterMessage" }),
      message(snowflake("2021-02-02T10:00:00Z"), grace, "in the thread"),
    ],
    messageCount: 2,
  }),
  "general.json": JSON.stringify(
    {
      guild,
      channel: general,
      dateRange: { after: null, before: null },
      exportedAt: "2023-06-15T13:00:00+00:00",
      messages: [
        message(snowflake("2021-02-01T09:00:00Z"), grace, "Joined the server.", { type: "GuildMemberJoin" }),
        message(root, ada, "Hello @Grace **all** <:party:123456789012345678>", {
          timestampEdited: "2021-02-01T10:05:00.5+00:00",
          isPinned: true,
          mentions: [grace],
          reactions: [
            { emoji: emoji("👍"), count: 2, users: [ada, grace] },
            { emoji: emoji("Party", "123456789012345678"), count: 1, users: [grace] },
            { emoji: emoji("❤"), count: 4, users: [] },
          ],
        }),
        message(snowflake("2021-02-01T11:00:00Z"), grace, "an answer", {
          type: "Reply",
          reference: { type: "Default", messageId: root, channelId: general.id, guildId: guild.id },
          attachments: [
            { id: "1", url: "https://cdn.discordapp.com/a/b.png", fileName: "b.png", fileSizeBytes: 10 },
          ],
        }),
        message(snowflake("2021-02-01T12:00:00Z"), author("300000000000000003", "Robot", "Robot", true), "", {
          embeds: [
            {
              title: "News",
              url: "https://example.org/news",
              description: "Some",
              fields: [{ name: "A", value: "1" }],
            },
          ],
        }),
        { id: "no author" },
      ],
      messageCount: 5,
    },
    null,
    2,
  ),
});

const directGuild = { id: "0", name: "Direct Messages", iconUrl: "" };
const directOf = (id: string, type: string, name: string, messages: object[]): string =>
  JSON.stringify({
    guild: directGuild,
    channel: { id, type, categoryId: null, category: null, name, topic: null },
    messages,
    messageCount: messages.length,
  });
const visitor = author("300000000000000009", "visitor", "Visitor");
const privateId = snowflake("2021-03-01T10:00:00Z");

/** Exports of direct messages have no members, and the names of the others as theirs. */
export const discordDirects = (): Record<string, string> => ({
  "dm.json": directOf("810000000000000001", "DirectTextChat", "Grace", [
    message(privateId, ada, "private", {
      timestampEdited: "2021-03-01T10:05:00+00:00",
      reactions: [{ emoji: emoji("👍"), count: 1, users: [grace] }],
    }),
    message(snowflake("2021-03-01T10:01:00Z"), grace, "a private reply", {
      type: "Reply",
      reference: { messageId: privateId, channelId: "810000000000000001", guildId: null },
    }),
  ]),
  "group.json": directOf("810000000000000002", "DirectGroupTextChat", "Us", [
    message(snowflake("2021-03-02T10:00:00Z"), ada, "the three of us"),
    message(snowflake("2021-03-02T10:01:00Z"), grace, "yes"),
    message(snowflake("2021-03-02T10:02:00Z"), visitor, "hello"),
  ]),
  "silent.json": directOf("810000000000000003", "DirectTextChat", "Someone", [
    message(snowflake("2021-03-03T10:00:00Z"), ada, "is anyone there?"),
  ]),
});

/** As in https://docs.mattermost.com/onboard/bulk-loading-data-format.html; real exports have posts in no order. */
export const mattermostLines = (): object[] => [
  { type: "version", version: 1, info: { generator: "mattermost-server" } },
  { type: "emoji", emoji: { name: "party", image: "data/emoji/party.png" } },
  { type: "team", team: { name: "core", display_name: "Core Team", type: "O" } },
  {
    type: "channel",
    channel: {
      team: "core",
      name: "town-square",
      display_name: "Town Square",
      type: "O",
      header: "All",
      purpose: "",
    },
  },
  { type: "channel", channel: { team: "core", name: "lab", display_name: "Lab", type: "P" } },
  {
    type: "user",
    user: {
      username: "ada",
      nickname: "Ada",
      teams: [
        {
          name: "core",
          roles: "team_user team_admin",
          channels: [{ name: "town-square", roles: "channel_user" }],
        },
      ],
    },
  },
  {
    type: "user",
    user: {
      username: "grace",
      first_name: "Grace",
      last_name: "H.",
      teams: [{ name: "core", roles: "team_user", channels: [{ name: "town-square" }, { name: "lab" }] }],
    },
  },
  {
    type: "post",
    post: {
      team: "core",
      channel: "lab",
      user: "grace",
      message: "between us",
      create_at: 1_600_000_300_000,
    },
  },
  {
    type: "post",
    post: {
      team: "core",
      channel: "town-square",
      user: "grace",
      message: "second @ada.",
      create_at: 1_600_000_200_000,
    },
  },
  {
    type: "post",
    post: {
      team: "core",
      channel: "town-square",
      user: "ada",
      type: "",
      message: "first **post** :tada:",
      create_at: 1_600_000_100_000,
      edit_at: 1_600_000_150_000,
      is_pinned: true,
      reactions: [
        { user: "grace", emoji_name: "thumbsup", create_at: 1_600_000_110_000 },
        { user: "ada", emoji_name: "party", create_at: 1_600_000_120_000 },
      ],
      replies: [
        {
          user: "grace",
          message: "a reply",
          create_at: 1_600_000_180_000,
          attachments: [{ path: "20200913/x/plan.pdf" }],
        },
      ],
    },
  },
  {
    type: "post",
    post: {
      team: "core",
      channel: "town-square",
      user: "ada",
      type: "system_join_team",
      message: "ada joined",
      create_at: 1_600_000_090_000,
    },
  },
  {
    type: "post",
    post: { team: "core", channel: "town-square", message: "no author", create_at: 1_600_000_000_000 },
  },
  { type: "direct_channel", direct_channel: { members: ["ada", "grace"] } },
  {
    type: "direct_post",
    direct_post: {
      channel_members: ["grace", "ada"],
      user: "ada",
      message: "private",
      create_at: 1_600_000_400_000,
      edit_at: 1_600_000_450_000,
      reactions: [{ user: "grace", emoji_name: "heart", create_at: 1_600_000_410_000 }],
      replies: [
        {
          user: "grace",
          message: "a private reply",
          create_at: 1_600_000_420_000,
          attachments: [{ path: "20200913/y/secret.txt" }],
        },
      ],
    },
  },
  // Newer exports have participants instead of members.
  {
    type: "direct_channel",
    direct_channel: { participants: [{ username: "ada" }, { username: "grace" }, { username: "left" }] },
  },
  {
    type: "direct_post",
    direct_post: {
      channel_members: ["ada", "grace", "left"],
      user: "left",
      message: "the three of us",
      create_at: 1_600_000_500_000,
    },
  },
];

export const mattermostExport = (): string =>
  mattermostLines()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

/** A line of Mattermost's export. @param minutes when it was written, after a fixed time */
export const mattermostPost = (
  channel: string,
  user: string,
  message: string,
  minutes: number,
  more: object = {},
) => ({
  type: "post",
  post: { team: "core", channel, user, message, create_at: 1_600_001_000_000 + minutes * 60_000, ...more },
});
