/**
 * State of an Across deposit, read from the destination chain only. The pool's state at the chain's confirmation depth decides
 * if the deposit is filled. Only then, the fill's event is searched for its transaction and amount (AcrossFills).
 */
import { Effect, Option } from "effect"
import { encodeFunctionData, hexToBigInt, size } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Bridge, Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type ChainClient, type Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
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
    const filled = yield* filledIn(destination, pools, relay.value, head.value)
    if (Option.isNone(filled)) {
      // A fill is possible up to and including the deadline's second.
      const { fillDeadline, inputAmount, inputToken } = relay.value.deposit
      return head.value.timestamp > BigInt(fillDeadline)
        ? {
            _tag: "Refunded" as const,
            expected: { token: inputToken, amount: inputAmount, notBefore: fillDeadline }
          }
        : PENDING
    }
    const pool = filled.value
    const isFilledAt = (block: bigint) =>
      Effect.map(fillStatus(destination, pool, relay.value, block), (status) => status === FILLED)
    return yield* AcrossFills.find({
      client: destination,
      pool,
      relay: relay.value,
      head: head.value,
      isFilledAt,
      searchFrom
    })
  })
