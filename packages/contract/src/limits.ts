/**
 * Every limit of the platform. Sizes carry their unit in the name; "chars" are UTF-16 code units, as `String.length` counts.
 */
export const LIMITS = {
  usernameMinChars: 3,
  usernameMaxChars: 32,
  nicknameMaxChars: 32,
  /** Combining marks on one character of a name. */
  marksPerCharacter: 4,
  /** Long enough for a passphrase; the upper bound keeps the cost of one hash bounded. */
  passwordMinChars: 8,
  passwordMaxChars: 128,
  emailMaxChars: 254,
  mailDomainMaxChars: 253,
  /** Domains that new accounts can be restricted to. */
  mailDomainsPerInstance: 100,
  bioMaxChars: 300,
  /** Of a second factor: six digits, or a recovery code. */
  codeMaxChars: 32,
  /** Of a random token that a link or a login carries. */
  secretMaxChars: 128,
  groupNameMaxChars: 100,
  channelNameMaxChars: 100,
  messageMaxChars: 4000,
  /** Each edit permanently stores the earlier text and a number with the message. */
  editsPerMessage: 1000,
  /** Edits, pins, previews and batches of reactions of one message: each permanently stores a number with it. */
  changesPerMessage: 4000,
  /** Mentions that are parsed in one text; further ones are plain text. */
  mentionsPerMessage: 50,
  /** Keys of one lookup of mentions: a user, with their roles and groups. */
  mentionKeysPerLookup: 500,
  /** Further mentions of one channel are not counted. */
  mentionsCounted: 100,
  /** A page of `channel.listUnread`; the last group of a page can exceed it. */
  channelsPerUnreadPage: 1000,
  notificationSettingsPerUser: 2000,
  /** Members considered for push notifications of one @everyone or role mention; others get none. */
  membersPerMentionPush: 20_000,
  /** Threads with unread counts for a user: those that they most recently took part in. */
  threadsFollowedPerUser: 100,
  /** Since the user last created it, wrote in it or was mentioned in it. */
  threadFollowedMs: 90 * 24 * 60 * 60 * 1000,
  attachmentsPerMessage: 10,
  embedsPerMessage: 5,
  embedTitleMaxChars: 256,
  embedDescriptionMaxChars: 1000,
  urlMaxChars: 2048,
  /** Different emoji on one message. */
  reactionsPerMessage: 20,
  /** Users that a message lists with each of its reactions. */
  reactionUsersShown: 10,
  emojiMaxChars: 64,
  pinsPerChannel: 50,
  searchTextMaxChars: 200,
  searchPageMaxItems: 50,
  fileNameMaxChars: 255,
  /** Unfinished uploads. */
  uploadsPerUser: 10,
  /** The longest duration of an upload. */
  uploadLifetimeMs: 60 * 60 * 1000,
  /** Files that are not attached to a message. */
  unclaimedFileLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of all frames together. Larger images are rejected before decoding. */
  imageMaxPixels: 50_000_000,
  /** The longer side. */
  thumbnailMaxPixels: 640,
  /** Of a profile or a group, as it is uploaded. */
  pictureMaxBytes: 8 * 1024 * 1024,
  /** Both sides, as it is shown. */
  pictureSidePixels: 256,
  /** For file URLs in channels that the whole group can see; in private channels, removed members lose access sooner. */
  fileUrlLifetimeMs: 60 * 60 * 1000,
  privateFileUrlLifetimeMs: 10 * 60 * 1000,
  nonceMaxChars: 64,
  refreshTokenMaxChars: 512,

  /** A socket joins one room for each of its groups at login, so this bounds the cost of a login. */
  groupsPerUser: 200,
  channelsPerGroup: 500,
  /** Archived threads don't count. */
  threadsPerChannel: 1000,
  invitesPerGroup: 100,
  sessionsPerUser: 50,
  /** Direct messages and group DMs. At the limit, others can still open a direct message with the user. */
  directChannelsPerUser: 500,
  membersPerGroupDirect: 10,
  friendsPerUser: 1000,
  /** Received and sent requests, each. */
  friendRequestsPerUser: 100,
  recoveryCodesPerUser: 10,
  /** Failed logins with one name in `passwordGuessWindowMs`, from all clients: an account has two, its username and its email address. */
  loginsPerName: 25,
  /** Of these, from one address. Each device that has logged in with the name before has its own limit of the same size, so that others can't lock it out. */
  loginsPerNameAndAddress: 10,
  /** Wrong passwords in confirmations by a logged-in user, in `passwordGuessWindowMs`. */
  passwordGuesses: 20,
  passwordGuessWindowMs: 10 * 60 * 1000,
  /** Wrong codes of an account's second factor in `totpGuessWindowMs`, from all clients. */
  totpGuesses: 5,
  totpGuessWindowMs: 15 * 60 * 1000,
  passwordResetLifetimeMs: 60 * 60 * 1000,
  /** Of the link to set the first password of an account that an admin has created. */
  invitationLifetimeMs: 7 * 24 * 60 * 60 * 1000,
  emailVerificationLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of the setup link for the first admin, in production. */
  setupLinkLifetimeMs: 24 * 60 * 60 * 1000,
  /** An address that its account never verified is removed from the account after this long. */
  unverifiedEmailLifetimeMs: 30 * 24 * 60 * 60 * 1000,
  /** How recent an OIDC login must be to confirm an action of an account without a password. */
  freshLoginMs: 5 * 60 * 1000,
  /** From the provider's redirect until the page exchanges the code, including the time to open an authenticator app. */
  oidcCodeLifetimeMs: 5 * 60 * 1000,
  /** Their ids are stored in one document. */
  adminsPerInstance: 100,
  noticeMaxChars: 1000,
  exportCursorMaxChars: 512,
  blockedPerUser: 1000,
  userAgentMaxChars: 256,
  /** Shorter prefixes would match half of all users. */
  searchMinChars: 2,
  usersPerSearch: 20,

  /** Users whose presence one socket can watch; each is a room. */
  watchedUsersPerSocket: 500,
  /** Watches expire, so that a user who no longer shares a group or channel stops receiving updates. */
  watchLifetimeMs: 10 * 60 * 1000,
  /** Changes in one report of a gateway. */
  usersPerPresenceReport: 1000,
  /** A typing indicator without renewal ends after this time. */
  typingExpiresInMs: 6000,
  /** Typing in a channel is published at most this often per user. */
  typingIntervalMs: 3000,

  /**
   * Approximate bytes of JSON in one result: a page ends before the item that would exceed it, but has at least one item. Lists
   * without pages are limited by the number of items instead.
   */
  answerMaxBytes: 1024 * 1024,
  pageMaxItems: 100,
  usersPerLookup: 100,
  exportedUsersPerLookup: 500,
  channelsPerSync: 100,
  /** A client that is further behind than this reloads the newest page instead. */
  changesPerSync: 200,
  /** The same for all channels of one sync together, which limits the size of the result. */
  changesPerSyncCall: 1000,

  inviteMaxUses: 100_000,
  inviteMaxAgeMs: 30 * 24 * 60 * 60 * 1000,
  muteMaxDurationMs: 365 * 24 * 60 * 60 * 1000,

  membersPerGroup: 500_000,
  rolesPerGroup: 100,
  /** A socket joins one room for each of its user's roles at login. */
  rolesPerMember: 30,
  /** They are loaded with the channel for every permission check. */
  overridesPerChannel: 100,
  roleNameMaxChars: 100,
  topicMaxChars: 1024,
  groupDescriptionMaxChars: 1000,
  reasonMaxChars: 512,
  wordsPerFilter: 200,
  retentionMaxDays: 3650,
  channelsPerRetentionPage: 200,
  filteredWordMaxChars: 50,
  slowModeMaxSeconds: 6 * 60 * 60,
  /** Retention of a group's audit log. */
  groupAuditLifetimeMs: 90 * 24 * 60 * 60 * 1000,

  botsPerGroup: 50,
  /** `fbot.`, an id and a secret. */
  botTokenMaxChars: 128,
  callbackSecretMinChars: 16,
  commandsPerBot: 50,
  commandNameMaxChars: 32,
  optionsPerCommand: 10,
  /** Invocations waiting for delivery by callback. */
  invocationsPerBot: 1000,
  webhooksPerChannel: 20,

  /** Gateways keep metrics of the last ten minutes. */
  metricsStepMs: 5000,
  metricsMaxSteps: 120,

  /** A write fails with an error after this time. */
  writeTimeoutMs: 10_000,
  socketPayloadMaxBytes: 64 * 1024,
  httpBodyMaxBytes: 64 * 1024,
} as const;
