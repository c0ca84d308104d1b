/** Look-ups of one request that are under way at once. */
export const CONCURRENCY = 8;
/** Messages that are looked at for one page of an inbox, those left out too because the user does not see them any more. */
export const MESSAGES_PER_PAGE = 1000;
/** A clock of another process may be ahead this much: what it has stored meanwhile has later ids. */
export const CLOCK_SKEW_SECONDS = 2;
