/** Decides if an owner's authorization goes into the transaction (EIP-7702). */
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import type { AccountCode, Authorization } from "./Delegation.ts"

export type AuthorizationChoice =
  /** The account is delegated already. The authorization would cost 25,000 gas without effect. */
  | { readonly _tag: "LeaveOut" }
  | { readonly _tag: "Attach" }
  /** A pending transaction uses the account's nonce, so it is unknown if the authorization will apply. */
  | { readonly _tag: "Later" }
  | { readonly _tag: "Refuse"; readonly reason: "stale_authorization" | "delegation_replaced"; readonly detail: string }

export const choose = (sweep: {
  readonly account: AccountCode
  /** Undefined if the owner signed none. */
  readonly authorization: Authorization | undefined
  /** Next transaction nonce of the account: in the latest block, and including pending transactions. */
  readonly accountNonce: { readonly latest: bigint; readonly pending: bigint }
  readonly chainId: ChainId
  readonly delegate: Address.Address
}): AuthorizationChoice => {
  const { account, accountNonce, authorization, chainId, delegate } = sweep
  if (account._tag === "Delegated" && account.delegate === delegate) return { _tag: "LeaveOut" }
  if (authorization === undefined) {
    const detail = "the account does not run the delegate, and its owner signed no authorization"
    return {
      _tag: "Refuse",
      reason: account._tag === "Plain" ? "stale_authorization" : "delegation_replaced",
      detail
    }
  }
  // The protocol skips an authorization that does not apply: the transaction succeeds without effect.
  const names = account._tag !== "Contract" && authorization.chainId === chainId && authorization.address === delegate
  if (names && authorization.nonce === accountNonce.pending) return { _tag: "Attach" }
  if (names && authorization.nonce >= accountNonce.latest && authorization.nonce < accountNonce.pending) {
    return { _tag: "Later" }
  }
  const mismatch = `the authorization is for nonce ${authorization.nonce}, the account is at ${accountNonce.pending}`
  switch (account._tag) {
    case "Plain":
      return { _tag: "Refuse", reason: "stale_authorization", detail: mismatch }
    case "Delegated":
      return {
        _tag: "Refuse",
        reason: "delegation_replaced",
        detail: `the account runs ${account.delegate}; ${mismatch}`
      }
    case "Contract":
      return { _tag: "Refuse", reason: "delegation_replaced", detail: "the account has code that is not a delegation" }
  }
}
