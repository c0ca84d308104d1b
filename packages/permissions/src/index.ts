export { channelPermissions, groupPermissions, type Subject } from "./compute.ts";
export { hidesFromSome, viewers, type Viewers } from "./viewers.ts";
export {
  changedBits,
  compareRoles,
  isReorderAllowed,
  mayGrant,
  mayTouchMember,
  mayTouchRole,
  type Authority,
  type RankedRole,
} from "./hierarchy.ts";
