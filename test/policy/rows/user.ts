import { row, outcomes, everybody, loggedIn, accountsOnly, freshName, password } from "../row.ts";

export const userRows = {
  "user.register": row("user.register", everybody, () => ({ username: freshName(), password })),
  "user.login": row(
    "user.login",
    outcomes(
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
      "WRONG_CREDENTIALS",
    ),
    () => ({ username: "nobody", password }),
  ),
  "user.createGuest": row("user.createGuest", everybody, () => ({})),
  "user.claimGuest": row("user.claimGuest", loggedIn, () => ({ username: freshName(), password })),
  "user.refresh": row(
    "user.refresh",
    outcomes("UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"),
    () => ({ refreshToken: "forged" }),
  ),
  "user.logout": row("user.logout", loggedIn, () => ({})),
  "user.logoutAll": row("user.logoutAll", loggedIn, () => ({})),
  "user.me": row("user.me", loggedIn, () => ({})),
  "user.get": row("user.get", loggedIn, ({ target }) => ({ userId: target.userId })),
  "user.getMany": row("user.getMany", loggedIn, ({ target }) => ({ userIds: [target.userId] })),
  "user.updateProfile": row("user.updateProfile", loggedIn, () => ({ nickname: "Somebody" })),
  "user.changePassword": row("user.changePassword", accountsOnly, () => ({
    oldPassword: "x",
    newPassword: password,
  })),
};
