import type { Handler } from "@fanfare/kernel";

export function listUsers(): Handler<"admin.listUsers"> {
  return ({ params, call }) => call("user.listAll", params);
}

export function createUser(): Handler<"admin.createUser"> {
  return ({ params, call }) => call("user.createWithoutPassword", params);
}

export function sendPasswordReset(): Handler<"admin.sendPasswordReset"> {
  return ({ params, call }) => call("user.sendPasswordLink", params);
}

export function disableUser(): Handler<"admin.disableUser"> {
  return async ({ params: { userId }, call }) => {
    const disabled = await call("user.setDisabled", { userId, disabled: true });
    await call("bot.disconnectHeldBy", { userId });
    return disabled;
  };
}

export function enableUser(): Handler<"admin.enableUser"> {
  return ({ params: { userId }, call }) => call("user.setDisabled", { userId, disabled: false });
}

export function setAdmin(): Handler<"admin.setAdmin"> {
  return ({ params, call }) => call("user.setAdmin", params);
}

export function resetTotp(): Handler<"admin.resetTotp"> {
  return ({ params: { userId }, call }) => call("user.resetTotp", { userId });
}
