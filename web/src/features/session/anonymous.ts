import { FanfareClient } from "@fanfare/client";

/** For what needs no login. */
export const anonymous = new FanfareClient({ url: location.origin });
