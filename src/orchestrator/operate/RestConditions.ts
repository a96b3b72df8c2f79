/** Reads what decides if a transfer of a lane's rest is mined, or can be. */
import { Effect, Option, Schema } from "effect"
import { parseTransaction } from "viem"
import type * as Address from "../../domain/Address.ts"
import { Hash } from "../../domain/Hex.ts"
import type { Conditions, Terms } from "../../domain/RestTransfer.ts"
import { LaneBook, type Withdrawal } from "../../ports/orchestrator/LaneBook.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"

/** Newest records of operators in which versions of a transfer are looked up. */
const RECORDS = 1_000

/** Versions of a transfer that are looked up at the same time. */
const LOOKUPS = 4

const isHash = Schema.is(Hash)

const parsed = Option.liftThrowable(parseTransaction)

/** Content of a stored transfer. None if its bytes are no transaction, so that one such row does not hold up others. */
export const termsOf = ({ amount, raw }: Pick<Withdrawal, "amount" | "raw">): Option.Option<Terms> =>
  Option.flatMap(parsed(raw), ({ gas, maxFeePerGas, maxPriorityFeePerGas = 0n }) =>
    gas === undefined || maxFeePerGas === undefined
      ? Option.none()
      : Option.some({ amount, gas, maxFeePerGas, maxPriorityFeePerGas })
  )

/** Makes `look(client, lane, recipient)`. `reverted` is the node's answer if the recipient refuses transfers. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const withLimits = yield* LimitChoices.make

  return Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, recipient: Address.Address) {
    const estimate = client.estimateGas({ from: lane, to: recipient, data: "0x" }).pipe(
      Effect.map((gas) => ({ gas, reverted: undefined })),
      Effect.catchTag("CallReverted", ({ detail }) => Effect.succeed({ gas: 0n, reverted: detail }))
    )
    const [balance, { baseFeePerGas, ...market }, rollup, { gas, reverted }] = yield* Effect.all(
      [client.balance(lane), client.feesPerGas, contracts.rollupFee(client, 0), estimate],
      { concurrency: "unbounded" }
    )
    const { maxFeePerGasWei: limit } = yield* withLimits(client.chain)
    return { conditions: { balance, baseFeePerGas, market, limit, gas, rollup } satisfies Conditions, reverted }
  })
})

/**
 * Makes `isMined(client, stored)`, which is true if a block has used the nonce of a stored transfer. Ask it after the balance. The node that
 * tells the count may be a block behind the one that told the balance, so a receipt of any version is a proof as well.
 */
export const makeIsMined = Effect.map(LaneBook, (book) =>
  Effect.fnUntraced(function* (client: ChainClient, { hash, lane, nonce }: Withdrawal) {
    const count = yield* client.transactionCount(lane, "latest")
    if (count > nonce) return true
    const later = (yield* book.log(RECORDS)).flatMap(({ details: { replaces, txHash } }) =>
      replaces === hash && isHash(txHash) ? [txHash] : []
    )
    const receipts = yield* Effect.forEach(
      new Set([hash, ...later]),
      (version) => client.receipt(version, "everywhere"),
      { concurrency: LOOKUPS }
    )
    return receipts.some(Option.isSome)
  })
)
