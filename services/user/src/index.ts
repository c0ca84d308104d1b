export { createImportedAccounts } from "./imported-accounts.ts";
export { createUserService } from "./user.service.ts";
