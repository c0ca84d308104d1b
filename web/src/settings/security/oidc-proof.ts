/** A login at the OIDC provider that stands for the password of an account that has none. */
export interface OidcProof {
  oidcCode: string;
  verifier: string;
}
