import { ERRORS } from "@fanfare/contract";
import { toServiceError } from "@fanfare/kernel";

type ScimType = "invalidFilter" | "invalidPath" | "invalidSyntax" | "invalidValue" | "uniqueness";

/** An error in SCIM's format (RFC 7644, 3.12). */
export class ScimError extends Error {
  override readonly name = "ScimError";
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    detail: string,
    { scimType, retryAfterMs }: { scimType?: ScimType | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
    this.retryAfterMs = retryAfterMs;
  }

  toJSON() {
    const { status, scimType, message: detail } = this;
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:Error"];
    return { schemas, status: String(status), ...(scimType !== undefined && { scimType }), detail };
  }
}

export const badRequest = (scimType: ScimType, detail: string): ScimError =>
  new ScimError(400, detail, { scimType });

export const notFound = (): ScimError => new ScimError(404, "This resource does not exist.");

/** Details of this server's errors in the words of SCIM. */
export function toScimError(thrown: unknown): ScimError {
  if (thrown instanceof ScimError) return thrown;
  const { type, data } = toServiceError(thrown);
  const { message, status } = ERRORS[type];
  switch (type) {
    case "USERNAME_TAKEN":
    case "EMAIL_TAKEN": {
      const detail = "Another user has this userName, externalId or email address.";
      return new ScimError(409, detail, { scimType: "uniqueness" });
    }
    case "USER_NOT_FOUND":
    case "GROUP_NOT_FOUND":
      return notFound();
    case "VALIDATION_FAILED": {
      const { issues } = data as { issues: { path: string; message: string }[] };
      return badRequest("invalidValue", issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "));
    }
    case "EMAIL_DOMAIN_NOT_ALLOWED":
      return badRequest("invalidValue", message);
    default: {
      const { retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
      return new ScimError(status, message, { retryAfterMs });
    }
  }
}
