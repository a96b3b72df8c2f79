/**
 * State of an Across deposit, read from the destination chain only. The pool's state at the chain's confirmation depth decides
 * if the deposit is filled. Only then, the fill's event is searched for its transaction and amount.
 */
import { Effect, Option } from "effect"
import { encodeFunctionData, hexToBigInt, size } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Bridge, Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type ChainClient, type Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"

/** `SpokePool.FillStatus.Filled`. */
const FILLED = 2n

/** Maximum difference between the clocks of two chains, in seconds. Relayers fill within seconds of the deposit. */
const CLOCK_SKEW_SECONDS = 900n

const PENDING: Delivery = { _tag: "Pending" }

/** The newest block at the chain's confirmation depth, which counts as final. */
const settledBlock = Effect.fnUntraced(function* (client: ChainClient) {
  const head = yield* client.block("latest")
  const confirmations = BigInt(client.chain.confirmations)
  if (Option.isNone(head) || head.value.number < confirmations - 1n) return Option.none<Block>()
  return confirmations === 1n ? head : yield* client.block(head.value.number - confirmations + 1n)
})

/**
 * Number of a block no later than `timestamp`, and not much earlier. Goes back from `from` by the number of blocks that the
 * chain makes in the remaining time, and at least doubles the step each time.
 */
const blockBefore = Effect.fnUntraced(function* (client: ChainClient, from: Block, timestamp: bigint) {
  let at = from
  let step = 1n
  while (at.timestamp > timestamp && at.number > 0n) {
    const expected = ((at.timestamp - timestamp) * 1_000n) / BigInt(client.chain.blockTimeMillis) + 1n
    const back = expected > step ? expected : step
    const found = yield* client.block(at.number > back ? at.number - back : 0n)
    if (Option.isNone(found)) {
      return yield* new ChainUnavailable({
        chainId: client.chain.id,
        method: "eth_getBlockByNumber",
        detail: "a block before the head is missing"
      })
    }
    at = found.value
    step = back * 2n
  }
  return at.number
})

const fillStatus = Effect.fnUntraced(function* (
  client: ChainClient,
  pool: Address.Address,
  relay: AcrossDeposit.Relay,
  { hash }: Block
) {
  const data = encodeFunctionData({
    abi: spokePoolAbi,
    functionName: "fillStatuses",
    args: [AcrossDeposit.relayHash(relay)]
  })
  const unusable = (detail: string) => new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })
  const answer = yield* client
    .call({ to: pool, data, block: { hash } })
    .pipe(Effect.catchTag("CallReverted", (reverted) => Effect.fail(unusable(reverted.message))))
  if (size(answer) !== 32) return yield* unusable(`no SpokePool at ${pool}`)
  return hexToBigInt(answer)
})

export const make = (chains: Chains["Service"], logWindow: bigint): Bridge["Service"]["delivery"] => {
  /**
   * Searches at least one window of blocks, newest first, and continues back to before the deposit. The pool accepts no quote
   * timestamp after the deposit, so no fill is much older than that timestamp.
   */
  const findFill = Effect.fnUntraced(function* (
    client: ChainClient,
    pool: Address.Address,
    relay: AcrossDeposit.Relay,
    head: Block
  ) {
    const topics = AcrossDeposit.filledTopics(relay)
    let toBlock = head.number
    let lowest: bigint | undefined
    while (true) {
      const fromBlock = toBlock >= logWindow ? toBlock - logWindow + 1n : 0n
      const logs = yield* client.logs({ address: pool, topics, fromBlock, toBlock })
      for (const log of logs) {
        const amountOut = AcrossDeposit.filledAmount(log, pool, relay)
        if (Option.isSome(amountOut)) return Option.some({ amountOut: amountOut.value, log })
      }
      lowest ??= yield* blockBefore(client, head, BigInt(relay.deposit.quoteTimestamp) - CLOCK_SKEW_SECONDS)
      if (fromBlock <= lowest) return Option.none()
      toBlock = fromBlock - 1n
    }
  })

  return Effect.fn("Across.delivery")(function* ({ order, receipt, sourceChainId }) {
    const unprovable = (detail: string) =>
      new ChainUnavailable({ chainId: sourceChainId, method: "Across.delivery", detail })
    const clients = Effect.all([chains.get(sourceChainId), chains.get(Number(order.destChainId))])
    const [source, destination] = yield* Effect.mapError(clients, (error) => unprovable(error.message))
    const { spokePool } = source.chain
    const pool = destination.chain.spokePool
    if (spokePool === undefined || pool === undefined) {
      return yield* unprovable("Across is no longer configured on both chains")
    }
    const relay = Option.flatMap(AcrossCall.decode(source.chain, order.swapTarget, order.swapCalldata), (call) =>
      AcrossDeposit.findDeposited(receipt.logs, spokePool, sourceChainId, (inputAmount) =>
        AcrossCall.depositMade(call, inputAmount)
      )
    )
    if (Option.isNone(relay)) {
      return yield* unprovable(`no deposit of this order in transaction ${receipt.transactionHash}`)
    }

    const head = yield* settledBlock(destination)
    if (Option.isNone(head)) return PENDING
    const status = yield* fillStatus(destination, pool, relay.value, head.value)
    if (status !== FILLED) {
      // A fill is possible up to and including the deadline's second.
      return head.value.timestamp > BigInt(relay.value.deposit.fillDeadline) ? { _tag: "Refunded" as const } : PENDING
    }
    const fill = yield* findFill(destination, pool, relay.value, head.value)
    if (Option.isNone(fill)) {
      return yield* new ChainUnavailable({
        chainId: destination.chain.id,
        method: "eth_getLogs",
        detail: `deposit ${relay.value.depositId} is filled, but the node returns no event for it`
      })
    }
    const { amountOut, log } = fill.value
    return { _tag: "Delivered" as const, txHash: log.transactionHash, amountOut }
  })
}
