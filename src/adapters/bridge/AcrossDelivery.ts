/**
 * State of an Across deposit, read from the destination chain only. The pool's state at the depth for the sweep's value decides if the
 * deposit is filled. Only then, the fill's event is searched for its transaction and amount (AcrossFills). Where no node keeps that state
 * any more, the pool's newest state tells if there is a fill, and only the event proves that it is deep.
 */
import { Effect, Option } from "effect"
import { encodeFunctionData, hexToBigInt, size } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Bridge, Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type ChainClient, type Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import * as AcrossFills from "./AcrossFills.ts"
import { settledBlock } from "./Blocks.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"

/** `SpokePool.FillStatus.Filled`. */
const FILLED = 2n

const PENDING: Delivery = { _tag: "Pending" }

const fillStatus = Effect.fnUntraced(function* (
  client: ChainClient,
  pool: Address.Address,
  relay: AcrossDeposit.Relay,
  block: bigint | Pick<Block, "hash">
) {
  const data = encodeFunctionData({
    abi: spokePoolAbi,
    functionName: "fillStatuses",
    args: [AcrossDeposit.relayHash(relay)]
  })
  const unusable = (detail: string) => new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })
  const answer = yield* client
    .call({ to: pool, data, block: typeof block === "bigint" ? block : { hash: block.hash } })
    .pipe(Effect.catchTag("CallReverted", (reverted) => Effect.fail(unusable(reverted.message))))
  // The pool was deployed later.
  if (answer === "0x" && typeof block === "bigint") return 0n
  if (size(answer) !== 32) return yield* unusable(`no SpokePool at ${pool}`)
  return hexToBigInt(answer)
})

/** The first of the pools that has the fill. Fails if a pool before it does not answer, since that one may have it. */
const filledIn = Effect.fnUntraced(function* (
  client: ChainClient,
  pools: ReadonlyArray<Address.Address>,
  relay: AcrossDeposit.Relay,
  block: Pick<Block, "hash">
) {
  for (const pool of pools) {
    if ((yield* fillStatus(client, pool, relay, block)) === FILLED) return Option.some(pool)
  }
  return Option.none<Address.Address>()
})

/** The pool with the fill at the end of the block `at`, if any. `isDeep`: that is the block at the depth, which proves the fill. */
interface Filling {
  readonly pool: Option.Option<Address.Address>
  readonly at: Block
  readonly isDeep: boolean
}

/**
 * Reads the fill at `head`, the block at the depth. Nodes that prune states may lack that one at every look. Then the newest block is read:
 * what is unfilled there was unfilled before. Fails as the first read did if the newest block has no state either.
 */
const fillingAt = (
  client: ChainClient,
  pools: ReadonlyArray<Address.Address>,
  relay: AcrossDeposit.Relay,
  head: Block
): Effect.Effect<Filling, ChainUnavailable> => {
  const newest = Effect.fnUntraced(function* (failure: ChainUnavailable): Effect.fn.Return<Filling, ChainUnavailable> {
    const latest = Option.getOrUndefined(yield* client.block("latest"))
    if (latest === undefined || latest.number <= head.number) return yield* failure
    return { pool: yield* filledIn(client, pools, relay, latest), at: latest, isDeep: false }
  })
  return filledIn(client, pools, relay, head).pipe(
    Effect.map((pool): Filling => ({ pool, at: head, isDeep: true })),
    Effect.catchTag("ChainUnavailable", (failure) =>
      Effect.catchTag(newest(failure), "ChainUnavailable", () => Effect.fail(failure))
    )
  )
}

/**
 * The fill's transaction, if a canonical block up to `head` has it, with the event of this deposit's fill. While its block is above `head`,
 * the next look begins at that block. Fails while no endpoint has its receipt or its block.
 */
const proved = Effect.fnUntraced(function* (
  client: ChainClient,
  pool: Address.Address,
  relay: AcrossDeposit.Relay,
  head: Block,
  found: Extract<Delivery, { readonly _tag: "Delivered" | "DeliveredInstead" }>
): Effect.fn.Return<Delivery, ChainUnavailable> {
  const { chain } = client
  const lacks = (method: string, missing: string) =>
    new ChainUnavailable({
      chainId: chain.id,
      method,
      detail: `no endpoint of ${chain.name} that answers has ${missing}`
    })
  const receipt = Option.getOrUndefined(yield* ConfirmedReceipt.find(client, found.txHash))
  if (receipt === undefined) {
    return yield* lacks("eth_getTransactionReceipt", `the receipt of ${found.txHash}, which filled the deposit`)
  }
  const { blockHash, blockNumber, logs } = receipt
  if (blockNumber > head.number) return { _tag: "Pending", searchFrom: blockNumber }
  const block = Option.getOrUndefined(yield* client.block(blockNumber))
  if (block === undefined) return yield* lacks("eth_getBlockByNumber", `block ${blockNumber}, which has the fill`)
  const isFill = logs.some((log) => Option.isSome(AcrossDeposit.filledAmount(log, pool, relay)))
  return block.hash === blockHash && isFill ? found : PENDING
})

export const make = (chains: Chains["Service"]): Bridge["Service"]["delivery"] =>
  Effect.fn("Across.delivery")(function* ({ confirmations, order, receipt, searchFrom, sourceChainId }) {
    const unprovable = (detail: string) =>
      new ChainUnavailable({ chainId: sourceChainId, method: "Across.delivery", detail })
    const clients = Effect.all([chains.get(sourceChainId), chains.get(Number(order.destChainId))])
    const [, destination] = yield* Effect.mapError(clients, (error) => unprovable(error.message))
    const pools = Chain.spokePools(destination.chain)
    if (pools.length === 0) return yield* unprovable(`Across is no longer configured on ${destination.chain.name}`)
    // The deposit went to the pool that the order names, also if the operator has changed the source's contracts since.
    const relay = Option.flatMap(AcrossCall.decodeSigned(order.swapTarget, order.swapCalldata), ({ call, spokePool }) =>
      AcrossDeposit.findDeposited(receipt.logs, spokePool, sourceChainId, (inputAmount) =>
        AcrossCall.depositMade(call, inputAmount)
      )
    )
    if (Option.isNone(relay)) {
      return yield* unprovable(`no deposit of this order in transaction ${receipt.transactionHash}`)
    }

    const head = yield* settledBlock(destination, confirmations)
    if (Option.isNone(head)) return PENDING
    const { at, isDeep, pool } = yield* fillingAt(destination, pools, relay.value, head.value)
    if (Option.isNone(pool)) {
      // A fill is possible up to and including the deadline's second.
      const { fillDeadline, inputAmount, inputToken } = relay.value.deposit
      return head.value.timestamp > BigInt(fillDeadline)
        ? {
            _tag: "Refunded" as const,
            expected: { token: inputToken, amount: inputAmount, notBefore: fillDeadline }
          }
        : PENDING
    }
    const isFilledAt = (block: bigint) =>
      Effect.map(fillStatus(destination, pool.value, relay.value, block), (status) => status === FILLED)
    const found = yield* AcrossFills.find({
      client: destination,
      pool: pool.value,
      relay: relay.value,
      head: at,
      isFilledAt,
      searchFrom
    })
    if (isDeep) return found
    if (found._tag === "Delivered" || found._tag === "DeliveredInstead") {
      return yield* proved(destination, pool.value, relay.value, head.value, found)
    }
    // The newest fill may not be deep yet, so only its event proves it.
    if (found._tag !== "Filled") return found
    const { logsFailed, searchFrom: next } = found
    return {
      ...PENDING,
      ...(next === undefined ? {} : { searchFrom: next }),
      ...(logsFailed === undefined ? {} : { logsFailed })
    }
  })
