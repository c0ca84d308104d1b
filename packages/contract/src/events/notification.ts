import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const notificationEvents = {
  "notification.updated": event({
    summary: "The user wants to be notified of something in another way.",
    audience: "self",
    payload: z.object({ setting: e.NotificationSettingSchema }),
  }),
};
