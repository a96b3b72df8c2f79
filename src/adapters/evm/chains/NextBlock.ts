/**
 * The next block, the fees of a transaction in it and the balance of its sender, as the last answers to other reads tell them. A
 * simulation takes place there. It must not wait for requests of its own, so it asks only for what nobody has read lately.
 */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import { type Block, type ChainClient, ChainUnavailable, type FeesPerGas } from "../../../ports/shared/Chains.ts"

/** Least age of a head at which it is read again. Chains with slower blocks allow the time of a block. */
const HEAD_MILLIS = 500

/** Priority fee in wei per gas before any fee was read: an ordinary one. */
const ORDINARY_TIP = 1_000_000_000n

/** The surroundings of a transaction in the next block. */
export interface Surroundings {
  readonly number: bigint
  /** UNIX seconds. */
  readonly timestamp: bigint
  readonly fees: FeesPerGas
  /** Balance of the sender in wei, at least what the transaction's gas may cost: nodes refuse a call that its sender cannot pay. */
  readonly balance: bigint
}

type Reads = Pick<ChainClient, "balance" | "block" | "feesPerGas">

export interface NextBlock {
  /** The same reads, whose answers are remembered. */
  readonly reads: Reads
  /** Surroundings of a transaction of `sender` with this gas limit. `recentHead` is asked if the remembered head is old. */
  readonly surround: (
    recentHead: ChainClient["recentHead"],
    sender: Address.Address,
    gas: bigint
  ) => Effect.Effect<Surroundings, ChainUnavailable>
}

export const make = (chain: Pick<Chain, "id" | "blockTimeMillis">, asked: Reads): NextBlock => {
  let head: { readonly block: Block; readonly atMillis: number } | undefined
  let tip = ORDINARY_TIP
  const balances = new Map<Address.Address, bigint>()
  const senders = new Set<Address.Address>()

  const sawBlock = Effect.fnUntraced(function* (block: Block) {
    head = { block, atMillis: yield* Clock.currentTimeMillis }
  })

  const reads: Reads = {
    block: (which) =>
      which === "latest"
        ? Effect.tap(asked.block(which), (found) => (Option.isSome(found) ? sawBlock(found.value) : Effect.void))
        : asked.block(which),
    feesPerGas: Effect.tap(asked.feesPerGas, (fees) =>
      Effect.sync(() => {
        tip = fees.maxPriorityFeePerGas
      })
    ),
    balance: (address) =>
      Effect.tap(asked.balance(address), (balance) =>
        Effect.sync(() => {
          // Only those of senders are kept: owners are many.
          if (senders.has(address)) balances.set(address, balance)
        })
      )
  }

  const headNow = Effect.fnUntraced(function* (recentHead: ChainClient["recentHead"]) {
    const maxAge = Math.max(HEAD_MILLIS, chain.blockTimeMillis)
    if (head !== undefined && (yield* Clock.currentTimeMillis) - head.atMillis <= maxAge) return head
    const missing = new ChainUnavailable({
      chainId: chain.id,
      method: "eth_getBlockByNumber",
      detail: "there is no latest block"
    })
    const block = yield* Effect.flatMap(recentHead(maxAge), (found) =>
      Effect.mapError(Effect.fromOption(found), () => missing)
    )
    return { block, atMillis: yield* Clock.currentTimeMillis }
  })

  const balanceOf = (sender: Address.Address) =>
    Effect.suspend(() => {
      senders.add(sender)
      const known = balances.get(sender)
      return known === undefined ? reads.balance(sender) : Effect.succeed(known)
    })

  const surround: NextBlock["surround"] = Effect.fnUntraced(function* (recentHead, sender, gas) {
    const [{ atMillis, block }, balance] = yield* Effect.all([headNow(recentHead), balanceOf(sender)], {
      concurrency: "unbounded"
    })
    // No less than the next block of any node: a contract may subtract a number or a time that it has stored from the block's.
    const ahead = 1 + Math.ceil(((yield* Clock.currentTimeMillis) - atMillis) / chain.blockTimeMillis)
    const fees = {
      // That of the next block differs by an eighth at most (EIP-1559).
      baseFeePerGas: block.baseFeePerGas,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: 2n * block.baseFeePerGas + tip
    }
    const mostCost = gas * fees.maxFeePerGas
    return {
      number: block.number + BigInt(ahead),
      timestamp: block.timestamp + BigInt(Math.ceil((ahead * chain.blockTimeMillis) / 1_000)),
      fees,
      balance: balance > mostCost ? balance : mostCost
    }
  })

  return { reads, surround }
}
