/** Compares authorizations with the accounts' own nonces. */
import type { AuthorizationRequest } from "../model/Sweep.ts"
import { collector } from "./Mismatches.ts"

/**
 * Requires that each authorization is for the account's next nonce, on the chains where that is known. One for a later nonce could be
 * kept, and would delegate the account again after the owner revoked it.
 *
 * @param nonces - next transaction nonce of the account by chain id
 * @throws {OrderMismatchError} if a nonce differs
 */
export const reviewNonces = (
  authorizations: ReadonlyArray<AuthorizationRequest>,
  nonces: Readonly<Record<number, number>>
): void => {
  const check = collector()
  for (const { chainId, nonce } of authorizations) {
    const next = nonces[chainId]
    if (next !== undefined) check.equal(`signing.authorization.nonce of chain ${chainId}`, nonce, next)
  }
  check.refuse()
}
