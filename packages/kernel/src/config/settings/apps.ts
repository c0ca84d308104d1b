import { z } from "zod";
import { httpUrl, notes, oneOf, onOrOff } from "../values.ts";

const serviceAccount = z.object({
  project_id: z.string().regex(/^[\w.:-]+$/),
  client_email: z.string().min(1),
  private_key: z.string().regex(/^-----BEGIN /),
  token_uri: httpUrl.default("https://oauth2.googleapis.com/token"),
});
const SERVICE_ACCOUNT_RULE = "must be the JSON file of a service account that can send messages";

const WITH_APNS = "with the other settings `APNS_*`";
const TEN_CHARS = /^[A-Z0-9]{10}$/;
const TEN_CHARS_RULE = "must have 10 capital letters and digits";

/** Push notifications to apps for Android and iOS. */
export const apps = {
  FCM_SERVICE_ACCOUNT: z
    .string()
    .transform((text, context) => {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        // Reported as any other value that isn't a service account.
      }
      const { data } = serviceAccount.safeParse(value);
      if (data !== undefined) return data;
      context.addIssue(SERVICE_ACCOUNT_RULE);
      return z.NEVER;
    })
    .optional()
    .register(notes, {
      description: "Key of the Firebase project that the Android app was built with.",
      defaultText: "no notifications in Android apps",
      example:
        '{"project_id":"my-project","client_email":"push@my-project.example","private_key":"-----BEGIN PRIVATE KEY-----\\nreplace me\\n"}',
      secret: true,
    }),
  APNS_KEY: z
    .string()
    .transform((text) => text.replaceAll(String.raw`\n`, "\n"))
    .pipe(z.string().regex(/^-----BEGIN PRIVATE KEY-----/, "must be the text of a .p8 file from Apple"))
    .optional()
    .register(notes, {
      description: "Key from Apple for the iOS app, with `\\n` for line breaks.",
      defaultText: "no notifications in iOS apps",
      required: WITH_APNS,
      example: String.raw`-----BEGIN PRIVATE KEY-----\nreplace-me\n-----END PRIVATE KEY-----`,
      secret: true,
    }),
  APNS_KEY_ID: z.string().regex(TEN_CHARS, TEN_CHARS_RULE).optional().register(notes, {
    description: "ID of that key.",
    required: WITH_APNS,
    example: "ABC123DEFG",
  }),
  APNS_TEAM_ID: z.string().regex(TEN_CHARS, TEN_CHARS_RULE).optional().register(notes, {
    description: "ID of the developer team that has the key.",
    required: WITH_APNS,
    example: "DEF123GHIJ",
  }),
  APNS_TOPIC: z
    .string()
    .regex(/^[\w.-]+$/, "must be a bundle ID")
    .optional()
    .register(notes, {
      description: "Bundle ID of the iOS app.",
      required: WITH_APNS,
      example: "org.example.chat",
    }),
  APNS_SANDBOX: onOrOff.default(false).register(notes, {
    description: "Whether the app was installed by Xcode. Apple has another server for such apps.",
    example: "on",
  }),
  APP_PUSH_CONTENT: oneOf(["generic", "sender", "full"])
    .default("generic")
    .register(notes, {
      description:
        "What notifications in apps say. Google and Apple can read it, and the IDs of the message and its place. `generic`: only that there is a message. `sender`: also from whom and why, such as a keyword. " +
        "`full`: also the text.",
      example: "full",
    }),
};
