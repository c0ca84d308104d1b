/** Another process took the lease, because this one did not renew it in time: it stood still, or was cut off. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** A newer version has changed the database so that this one would damage it. */
export class DatabaseTooNewError extends Error {
  override readonly name = "DatabaseTooNewError";
}

/** Something is to be done first, and this process was told not to do it by itself. */
export class DatabaseNotMigratedError extends Error {
  override readonly name = "DatabaseNotMigratedError";
}

/** A unique index cannot be made; the message names the documents. */
export class DatabaseDuplicatesError extends Error {
  override readonly name = "DatabaseDuplicatesError";
}
