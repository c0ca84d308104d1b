import { row, freshName, password } from "../row.ts";

export const userRows = {
  "user.register": row("user.register", () => ({ username: freshName(), password })),
  "user.login": row("user.login", () => ({ username: freshName(), password }), {
    why: "there is no such user",
    allowed: "WRONG_CREDENTIALS",
  }),
  "user.createGuest": row("user.createGuest", () => ({})),
  "user.claimGuest": row("user.claimGuest", () => ({ username: freshName(), password }), {
    why: "only a guest can claim an account, and only its own",
    allowed: "NOT_A_GUEST",
    guest: "ok",
  }),
  "user.refresh": row("user.refresh", () => ({ refreshToken: "forged" }), {
    why: "the token is forged",
    allowed: "UNAUTHENTICATED",
  }),
  "user.logout": row("user.logout", () => ({})),
  "user.logoutAll": row("user.logoutAll", () => ({})),
  "user.me": row("user.me", () => ({})),
  "user.get": row("user.get", ({ target }) => ({ userId: target.userId })),
  "user.getMany": row("user.getMany", ({ target }) => ({ userIds: [target.userId] })),
  "user.updateProfile": row("user.updateProfile", () => ({ nickname: "Somebody" })),
  "user.setPreferences": row("user.setPreferences", () => ({ theme: "dark" as const })),
  "user.changePassword": row("user.changePassword", () => ({ oldPassword: "x", newPassword: password }), {
    why: "the password is wrong",
    allowed: "WRONG_CREDENTIALS",
  }),
};
