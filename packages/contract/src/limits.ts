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
  /** Each edit leaves its former text, and a number with its message for ever. */
  editsPerMessage: 1000,
  /** Edits, pins, previews and batches of reactions of one message: each leaves a number with it for ever. */
  changesPerMessage: 4000,
  /** Tokens of mentions that are looked at in one text; further ones are plain text. */
  mentionsPerMessage: 50,
  /** Of whom or what mentions are looked for at once: a user, with their roles and groups. */
  mentionKeysPerLookup: 500,
  /** Further mentions of one channel are not counted. */
  mentionsCounted: 100,
  /** Of which `channel.listUnread` tells at once what is unread: one group more may go beyond it. */
  channelsPerUnreadPage: 1000,
  notificationSettingsPerUser: 2000,
  /** Members who are looked at for the pushes about one mention of everybody, or of roles; those beyond it are not pushed to. */
  membersPerMentionPush: 20_000,
  /** Threads whose unread messages a user is told of: those that they took part in last. */
  threadsFollowedPerUser: 100,
  /** For so long after a user has opened it, written in it or been named in it. */
  threadFollowedMs: 90 * 24 * 60 * 60 * 1000,
  attachmentsPerMessage: 10,
  embedsPerMessage: 5,
  embedTitleMaxChars: 256,
  embedDescriptionMaxChars: 1000,
  urlMaxChars: 2048,
  /** Different emoji on one message. */
  reactionsPerMessage: 20,
  /** Users whom a message names with each of its reactions. */
  reactionUsersShown: 10,
  emojiMaxChars: 64,
  pinsPerChannel: 50,
  searchTextMaxChars: 200,
  searchPageMaxItems: 50,
  fileNameMaxChars: 255,
  /** That have begun and not ended. */
  uploadsPerUser: 10,
  /** From the beginning of an upload to its end. */
  uploadLifetimeMs: 60 * 60 * 1000,
  /** Files that no message has. */
  unclaimedFileLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of all frames together. What is larger is refused before it is unpacked. */
  imageMaxPixels: 50_000_000,
  /** The longer side. */
  thumbnailMaxPixels: 640,
  /** Of a profile or a group, as it is uploaded. */
  pictureMaxBytes: 8 * 1024 * 1024,
  /** Both sides, as it is shown. */
  pictureSidePixels: 256,
  /** Of addresses to files in channels that the whole group sees; in others whoever is put out is kept out sooner. */
  fileUrlLifetimeMs: 60 * 60 * 1000,
  privateFileUrlLifetimeMs: 10 * 60 * 1000,
  nonceMaxChars: 64,
  refreshTokenMaxChars: 512,

  /** A socket joins one room for each of its groups at login, so this bounds the cost of a login. */
  groupsPerUser: 200,
  channelsPerGroup: 500,
  /** Those in use; those that are put away do not count. */
  threadsPerChannel: 1000,
  invitesPerGroup: 100,
  sessionsPerUser: 50,
  /** Those of two and of several. Whoever has as many is still reached by others, in a channel of two. */
  directChannelsPerUser: 500,
  membersPerGroupDirect: 10,
  friendsPerUser: 1000,
  /** Those that others have sent, and those to others, each. */
  friendRequestsPerUser: 100,
  recoveryCodesPerUser: 10,
  /** Failed logins with one name in `passwordGuessWindowMs`, whoever tries: an account has two, its username and its e-mail address. */
  loginsPerName: 25,
  /** Of these, from one address; and as many from each device that has logged in with the name before, which others cannot use up. */
  loginsPerNameAndAddress: 10,
  /** Wrong passwords of who is logged in, where it is asked for again, in `passwordGuessWindowMs`. */
  passwordGuesses: 20,
  passwordGuessWindowMs: 10 * 60 * 1000,
  /** Wrong codes of a second factor in `totpGuessWindowMs`, whoever tries. */
  totpGuesses: 5,
  totpGuessWindowMs: 15 * 60 * 1000,
  passwordResetLifetimeMs: 60 * 60 * 1000,
  /** Of the link to set the first password of an account that an admin has created. */
  invitationLifetimeMs: 7 * 24 * 60 * 60 * 1000,
  emailVerificationLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of the link that makes the first admin, in production. */
  setupLinkLifetimeMs: 24 * 60 * 60 * 1000,
  /** An address that its account never verified is removed from the account after this long. */
  unverifiedEmailLifetimeMs: 30 * 24 * 60 * 60 * 1000,
  /** How recent a login at the OIDC provider must be to stand for the password of an account that has none. */
  freshLoginMs: 5 * 60 * 1000,
  /** From the provider's answer until the page has exchanged it, with the time to find one's authenticator app. */
  oidcCodeLifetimeMs: 5 * 60 * 1000,
  /** They are one document. */
  adminsPerInstance: 100,
  noticeMaxChars: 1000,
  exportCursorMaxChars: 512,
  blockedPerUser: 1000,
  userAgentMaxChars: 256,
  /** Shorter beginnings would list half of all users. */
  searchMinChars: 2,
  usersPerSearch: 20,

  /** Users whose presence one socket hears of; each is a room. */
  watchedUsersPerSocket: 500,
  /** A watch ends by itself, so that nobody hears for longer of somebody whom they share nothing with any more. */
  watchLifetimeMs: 10 * 60 * 1000,
  /** Of those who came and went, in one report of a gateway. */
  usersPerPresenceReport: 1000,
  /** After this long somebody who has not typed on has stopped. */
  typingExpiresInMs: 6000,
  /** More often than this a user's typing in a channel is not told; nothing is gained by calling more often. */
  typingIntervalMs: 3000,

  /**
   * Bytes of JSON in one answer, about: a page stops before the item that would exceed it, but never before its first one. Lists that
   * have no pages are bounded by the numbers of their items instead.
   */
  answerMaxBytes: 1024 * 1024,
  pageMaxItems: 100,
  usersPerLookup: 100,
  exportedUsersPerLookup: 500,
  channelsPerSync: 100,
  /** A client that is further behind than this reloads the newest page instead. */
  changesPerSync: 200,
  /** The same of all channels of one sync together, which bounds the size of its answer. */
  changesPerSyncCall: 1000,

  inviteMaxUses: 100_000,
  inviteMaxAgeMs: 30 * 24 * 60 * 60 * 1000,
  muteMaxDurationMs: 365 * 24 * 60 * 60 * 1000,

  membersPerGroup: 500_000,
  rolesPerGroup: 100,
  /** A socket joins one room for each of its user's roles at login. */
  rolesPerMember: 30,
  /** They are read with the channel wherever access to it is looked up. */
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
  /** Entries of a group's audit log are kept for so long. */
  groupAuditLifetimeMs: 90 * 24 * 60 * 60 * 1000,

  botsPerGroup: 50,
  /** `fbot.`, an id and a secret. */
  botTokenMaxChars: 128,
  callbackSecretMinChars: 16,
  commandsPerBot: 50,
  commandNameMaxChars: 32,
  optionsPerCommand: 10,
  /** Those that wait to be told by callback. */
  invocationsPerBot: 1000,
  webhooksPerChannel: 20,

  /** What gateways remember of the last ten minutes, for those who run the instance. */
  metricsStepMs: 5000,
  metricsMaxSteps: 120,

  /** The longest that one write may take before its sender is told that it failed. */
  writeTimeoutMs: 10_000,
  socketPayloadMaxBytes: 64 * 1024,
  httpBodyMaxBytes: 64 * 1024,
} as const;
