/** Blocks by which bridges are read: the newest confirmed one, and those of a time. */
import { Effect, Option } from "effect"
import { type Block, type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"

/** The newest block at a depth, which counts as final. Default: the chain's `confirmations`. */
export const settledBlock = Effect.fnUntraced(function* (
  client: ChainClient,
  confirmations: number = client.chain.confirmations
) {
  const head = yield* client.block("latest")
  const depth = BigInt(confirmations)
  if (Option.isNone(head) || head.value.number < depth - 1n) return Option.none<Block>()
  return depth === 1n ? head : yield* client.block(head.value.number - depth + 1n)
})

/**
 * Number of a block no later than `timestamp`, and not much earlier. Goes back from `from` by the number of blocks that the
 * chain makes in the remaining time, and at least doubles the step each time.
 */
export const blockBefore = Effect.fnUntraced(function* (client: ChainClient, from: Block, timestamp: bigint) {
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
