/** Sends a transaction of the guard's owner, and waits until it is mined. */
import { Effect, Option, Schedule, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { withinCap } from "../../../domain/RelayGas.ts"
import type { ChainClient } from "../../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../../ports/orchestrator/RelayerKeys.ts"

/** The transaction would revert, reverted, or is not mined yet. */
export class GuardUnchanged extends Schema.TaggedError<GuardUnchanged>()("GuardUnchanged", {
  chainId: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `chain ${this.chainId}: ${this.detail}`
  }
}

const CONFIRMATION = { poll: "500 millis", patience: "3 minutes" } as const

/** A fifth above the estimate: the list may change before the transaction is mined. */
const withMargin = (gas: bigint): bigint => withinCap(gas, (gas * 6n) / 5n)

/** Sends `data` to the guard. The lane of {@link RelayerKeys} is the guard's owner. Returns the hash of the transaction. */
export const send = Effect.fn("GuardOwner.send")(function* (client: ChainClient, owner: Address.Address, data: Hex) {
  const { chain } = client
  const keys = yield* RelayerKeys
  const unchanged = (detail: string) => new GuardUnchanged({ chainId: chain.id, detail })
  const to = chain.contracts.guard
  const gas = yield* client
    .estimateGas({ from: owner, to, data })
    .pipe(Effect.catchTag("CallReverted", ({ detail }) => unchanged(`the guard would refuse the change: ${detail}`)))
  const [nonce, fees] = yield* Effect.all([client.transactionCount(owner, "pending"), client.feesPerGas])
  const signed = yield* keys.sign(owner, {
    chainId: chain.id,
    nonce,
    to,
    data,
    gas: withMargin(gas),
    maxFeePerGas: fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    authorizationList: []
  })
  yield* client.send(signed.raw)
  const receipt = yield* client.receipt(signed.hash).pipe(
    Effect.repeat({ schedule: Schedule.spaced(CONFIRMATION.poll), until: Option.isSome }),
    Effect.timeoutOrElse({
      duration: CONFIRMATION.patience,
      orElse: () =>
        Effect.fail(unchanged(`transaction ${signed.hash} is not mined yet; look at it with \`./sweep targets list\``))
    })
  )
  if (Option.isSome(receipt) && receipt.value.status === "reverted") {
    return yield* unchanged(`transaction ${signed.hash} reverted`)
  }
  return signed.hash
})
