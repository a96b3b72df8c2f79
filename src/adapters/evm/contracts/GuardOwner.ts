/** Sends a transaction of the guard's owner, and waits until it is mined. */
import { Effect, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { Urgency } from "../../../domain/OperatorFees.ts"
import { withinCap } from "../../../domain/RelayGas.ts"
import type { ChainClient } from "../../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../../ports/orchestrator/RelayerKeys.ts"
import * as OperatorTransaction from "./OperatorTransaction.ts"

/** The transaction would revert, reverted, or is not mined yet. */
export class GuardUnchanged extends Schema.TaggedError<GuardUnchanged>()("GuardUnchanged", {
  chainId: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: ${this.detail}`
  }
}

/** A fifth above the estimate: the list may change before the transaction is mined. */
const withMargin = (gas: bigint): bigint => withinCap(gas, (gas * 6n) / 5n)

/** Sends `data` to a guard. Default: the current one. The lane of {@link RelayerKeys} is the guard's owner. */
export const send = Effect.fn("GuardOwner.send")(function* (
  client: ChainClient,
  owner: Address.Address,
  data: Hex,
  urgency: Urgency,
  to: Address.Address = client.chain.contracts.guard
) {
  const { chain } = client
  const keys = yield* RelayerKeys
  const unchanged = (detail: string) => new GuardUnchanged({ chainId: chain.id, detail })
  const gas = yield* client
    .estimateGas({ from: owner, to, data })
    .pipe(Effect.catchTag("CallReverted", ({ detail }) => unchanged(`the guard would refuse the change: ${detail}`)))
  return yield* OperatorTransaction.send(
    client,
    { keys, account: owner },
    { to, data, gas: withMargin(gas) },
    urgency
  ).pipe(Effect.catchTag("NotDone", ({ detail }) => unchanged(detail)))
})
