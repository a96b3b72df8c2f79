/** Refusals of submissions. */
import { Schema } from "effect"
import type { Address } from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import * as Destination from "../../domain/Destination.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { LastingReason, PassingReason } from "../../domain/SweepRefusal.ts"

/** The submission is refused. The client needs new quotes and new signatures, except where `retryAfterMillis` is set. */
export class SubmissionRefused extends Schema.TaggedError<SubmissionRefused>()("SubmissionRefused", {
  reason: Schema.Union([LastingReason, PassingReason]),
  detail: Schema.String,
  /** Set if the same submission can be accepted later: milliseconds after which it may be repeated. */
  retryAfterMillis: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `submission refused (${this.reason}): ${this.detail}`
  }
}

export const refuse = (reason: SubmissionRefused["reason"], detail: string) => new SubmissionRefused({ reason, detail })

/** Checks that an authorization is for the order's chain and its delegate, on a chain that supports EIP-7702. */
export const authorizationRefusal = (
  chain: Chain,
  authorization: Authorization,
  delegate: Address
): SubmissionRefused | undefined => {
  if (authorization.chainId !== chain.id) {
    return refuse(
      "wrong_authorization_chain",
      `the authorization is for chain ${authorization.chainId}, the order for ${chain.id}`
    )
  }
  if (authorization.address !== delegate) {
    return refuse("wrong_delegate", `the authorization is for ${authorization.address}, the delegate is ${delegate}`)
  }
  return chain.supportsSetCode === false
    ? refuse("no_set_code_support", `${chain.name} does not support EIP-7702`)
    : undefined
}

/**
 * Refuses an order one of whose fees would count as its output. An earlier release may have quoted it. `feeRecipient`: the one of the order's
 * delegate.
 */
export const countedFeeRefusal = (
  chain: Chain,
  order: SweepOrder,
  feeRecipient: Address
): SubmissionRefused | undefined => {
  const payees = [...(order.feeAmount > 0n ? [feeRecipient] : []), ...(order.builderFee > 0n ? [order.builder] : [])]
  return Destination.countsFees(chain, order, payees)
    ? refuse(
        "expired_quote",
        `such quotes are no longer given: ${order.destination} receives a fee in the output token`
      )
    : undefined
}
