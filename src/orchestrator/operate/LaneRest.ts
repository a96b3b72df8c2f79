/** Moves the rest of a lane to another account. The signed bytes are stored before they are sent. */
import { Effect, Option, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import { movable } from "../../domain/LaneState.ts"
import * as RollupFee from "../../domain/RollupFee.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import type { NewOperatorRecord } from "../../ports/shared/Overrides.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"

/** The chain's fee for the data may rise before the transfer is mined. */
const DATA_FEE_FACTOR = 2n

/** The lane is no longer retired. Nothing was sent. */
export class LaneInUse extends Schema.TaggedError<LaneInUse>()("LaneInUse", {}) {}

/** A transfer to another account was signed before, and is not mined. Only that one can be sent. */
export class OtherRecipient extends Schema.TaggedError<OtherRecipient>()("OtherRecipient", {
  /** Recipient of the stored transfer. */
  stored: Address.Address
}) {}

/** No transfer to the recipient is stored, and none may be signed. */
export class RecipientNotAllowed extends Schema.TaggedError<RecipientNotAllowed>()("RecipientNotAllowed", {}) {}

/** Account that receives the rest. */
export interface Recipient {
  readonly address: Address.Address
  /** False if no new transfer to it may be signed. A stored one was allowed when it was signed, and is sent again. */
  readonly isAllowed: boolean
}

/** Makes `moveRest(client, lane, recipient, recordOf)`. None if the balance does not cover the cost of a transfer. */
export const make = Effect.gen(function* () {
  const book = yield* LaneBook
  const contracts = yield* SweepContracts
  const keys = yield* RelayerKeys

  const signed = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    recipient: Address.Address,
    nonce: bigint
  ) {
    const { chain } = client
    const [balance, fees, rollup, estimated] = yield* Effect.all(
      [
        client.balance(lane),
        client.feesPerGas,
        contracts.rollupFee(client, 0),
        client
          .estimateGas({ from: lane, to: recipient, data: "0x" })
          .pipe(Effect.catchTag("CallReverted", ({ detail }) => Effect.fail(refusedBy(client, detail))))
      ],
      { concurrency: "unbounded" }
    )
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const gas = (estimated * 6n) / 5n
    const dataFee = DATA_FEE_FACTOR * (rollup.data + RollupFee.operatorFee(rollup, gas))
    const amount = movable(balance, gas * maxFeePerGas + dataFee)
    if (amount === 0n) return Option.none()
    const bytes = yield* keys
      .sign(lane, {
        chainId: chain.id,
        nonce,
        to: recipient,
        data: "0x",
        value: amount,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas,
        authorizationList: []
      })
      .pipe(Effect.mapError(({ message }) => refusedBy(client, message)))
    return Option.some({ ...bytes, chainId: chain.id, lane, nonce, recipient, amount })
  })

  return Effect.fn("LaneRest.move")(function* (
    client: ChainClient,
    lane: Address.Address,
    { address: recipient, isAllowed }: Recipient,
    recordOf: (amount: bigint) => NewOperatorRecord
  ) {
    const nonce = yield* client.transactionCount(lane, "latest")
    const before = yield* book.withdrawal(client.chain.id, lane, nonce)
    if (Option.isSome(before) && before.value.recipient !== recipient) {
      return yield* new OtherRecipient({ stored: before.value.recipient })
    }
    if (Option.isNone(before) && !isAllowed) return yield* new RecipientNotAllowed()
    const wanted = Option.isSome(before) ? before : yield* signed(client, lane, recipient, nonce)
    if (Option.isNone(wanted)) return Option.none()
    const kept = yield* book.withdraw(wanted.value, recordOf(wanted.value.amount))
    // Another replica has taken the lane into use again.
    if (Option.isNone(kept)) return yield* new LaneInUse()
    const stored = kept.value
    if (stored.recipient !== recipient) return yield* new OtherRecipient({ stored: stored.recipient })
    yield* client
      .send(stored.raw)
      .pipe(Effect.catchTag("SendRejected", ({ detail }) => Effect.fail(refusedBy(client, detail))))
    const { amount, chainId, hash: txHash } = stored
    return Option.some({ lane, chainId, recipient, amount, txHash })
  })
})

const refusedBy = ({ chain }: ChainClient, detail: string) =>
  new ChainUnavailable({ chainId: chain.id, method: "the transfer of the lane's rest", detail })
