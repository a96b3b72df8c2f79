/**
 * The next block, the fees of a transaction in it and the balance of its sender, as the last answers to other reads tell them. A
 * simulation takes place there. It must not wait for requests of its own, so it asks only for what nobody has read lately.
 */
import { Clock, Effect, Option, Random } from "effect"
import { numberToHex } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import type { Hash } from "../../../domain/Hex.ts"
import { type Block, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import * as Choice from "../rpc/Choice.ts"

/** Least age of a head at which it is read again. Chains with slower blocks allow the time of a block. */
const HEAD_MILLIS = 500

/** Priority fee in wei per gas before any fee was read: an ordinary one. */
const ORDINARY_TIP = 1_000_000_000n

/** Distinct coinbases that are remembered. */
const COINBASES = 16

/** Randomness below it is a constant of a rollup. */
const LEAST_RANDOMNESS = 2n ** 128n

/** Blocks after the next one to which another block may belong. */
const OTHER_BLOCKS = 3

/** Age of a head beyond which the next block is not moved further, in milliseconds: the chain stands, or the clock is wrong. */
const LONGEST_BEHIND_MILLIS = 600_000

/** Change of the base fee from one block to the next at most: 1 / divisor (EIP-1559). */
const BASE_FEE_STEP = 8n

/** Precision of a drawn share. */
const SHARES = 1_000_000

/** A block in which a simulated transaction takes place, and its sender. Fields that are undefined are those of the latest block. */
export interface Setting {
  readonly number: bigint | undefined
  /** UNIX seconds. */
  readonly timestamp: bigint | undefined
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  /** Priority fee of the transaction, in wei per gas. */
  readonly tip: bigint
  readonly coinbase: Address.Address | undefined
  readonly randomness: Hash | undefined
  /** Balance of the sender, in wei. */
  readonly balance: bigint
}

type Reads = Pick<ChainClient, "balance" | "block" | "feesPerGas">

export interface NextBlock {
  /** The same reads. Answers are remembered, except those of an endpoint that is asked alone. */
  readonly reads: Reads
  /** Setting of a transaction of `sender` in a block, see `Surroundings`. `recentHead` is asked if the remembered head is old. */
  readonly settingOf: (
    recentHead: ChainClient["recentHead"],
    sender: Address.Address,
    block: "next" | "other"
  ) => Effect.Effect<Setting, ChainUnavailable>
}

type BlockTime = Pick<Chain, "id" | "blockTimeMillis">

/** Answers to the last reads of a chain. */
interface Memory {
  readonly reads: Reads
  /** The newest block and the time of its reading, in UNIX milliseconds. Asks for a recent one if the remembered one is old. */
  readonly headNow: (
    recentHead: ChainClient["recentHead"]
  ) => Effect.Effect<{ readonly block: Block; readonly atMillis: number }, ChainUnavailable>
  readonly balanceOf: (sender: Address.Address) => ReturnType<Reads["balance"]>
  /** Priority fee in wei per gas. */
  readonly tip: () => bigint
  readonly coinbases: () => ReadonlyArray<Address.Address>
}

/** Runs `note` with the answer. One that is compared with another endpoint's may be a lie, so it is ignored. */
const noting = <A, E>(read: Effect.Effect<A, E>, note: (answer: A) => Effect.Effect<void>): Effect.Effect<A, E> =>
  Effect.tap(read, (answer) =>
    Effect.flatMap(Choice.Current, (choice) => (choice?.only === undefined ? note(answer) : Effect.void))
  )

const remember = (chain: BlockTime, asked: Reads): Memory => {
  let head: { readonly block: Block; readonly atMillis: number } | undefined
  let tip = ORDINARY_TIP
  const balances = new Map<Address.Address, bigint>()
  const senders = new Set<Address.Address>()
  /** The newest last. */
  const coinbases = new Set<Address.Address>()

  const sawBlock = Effect.fnUntraced(function* (block: Block) {
    head = { block, atMillis: yield* Clock.currentTimeMillis }
    if (block.coinbase === undefined) return
    coinbases.delete(block.coinbase)
    coinbases.add(block.coinbase)
    const [oldest] = coinbases
    if (coinbases.size > COINBASES && oldest !== undefined) coinbases.delete(oldest)
  })

  const reads: Reads = {
    block: (which) =>
      which === "latest"
        ? noting(asked.block(which), (found) => (Option.isSome(found) ? sawBlock(found.value) : Effect.void))
        : asked.block(which),
    feesPerGas: noting(asked.feesPerGas, (fees) =>
      Effect.sync(() => {
        tip = fees.maxPriorityFeePerGas
      })
    ),
    balance: (address) =>
      noting(asked.balance(address), (balance) =>
        Effect.sync(() => {
          // Only those of senders are kept: owners are many.
          if (senders.has(address)) balances.set(address, balance)
        })
      )
  }

  const headNow: Memory["headNow"] = Effect.fnUntraced(function* (recentHead) {
    const maxAge = Math.max(HEAD_MILLIS, chain.blockTimeMillis)
    const now = yield* Clock.currentTimeMillis
    // A head that was read later than now is of unknown age, since the clock was set back.
    if (head !== undefined && now >= head.atMillis && now - head.atMillis <= maxAge) return head
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

  const balanceOf: Memory["balanceOf"] = (sender) =>
    Effect.suspend(() => {
      senders.add(sender)
      const known = balances.get(sender)
      return known === undefined ? reads.balance(sender) : Effect.succeed(known)
    })

  return { reads, headNow, balanceOf, tip: () => tip, coinbases: () => [...coinbases] }
}

/** Randomness of a block that nobody can know yet. Undefined where it is a constant. */
const drawRandomness = Effect.fnUntraced(function* (block: Block) {
  if (block.randomness === undefined || BigInt(block.randomness) < LEAST_RANDOMNESS) return undefined
  const words = yield* Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32 - 1), 8)
  const value = words.reduce((sum, word) => sum * 2n ** 32n + BigInt(word), 0n)
  return numberToHex(value, { size: 32 })
})

/** A block that differs from the next one in all that a contract could recognise. */
const drawOther = Effect.fnUntraced(function* (
  { blockTimeMillis }: BlockTime,
  block: Block,
  next: Setting,
  coinbases: ReadonlyArray<Address.Address>
) {
  const moved = BigInt(yield* Random.nextIntBetween(-SHARES, SHARES))
  const raised = BigInt(yield* Random.nextIntBetween(0, SHARES))
  const drawn: Setting = {
    ...next,
    baseFeePerGas: block.baseFeePerGas + (block.baseFeePerGas * moved) / (BASE_FEE_STEP * BigInt(SHARES)),
    tip: next.tip + (next.tip * raised) / (4n * BigInt(SHARES)),
    coinbase: coinbases.length < 2 ? undefined : coinbases[yield* Random.nextIntBetween(0, coinbases.length - 1)]
  }
  // A node knows no hash of the parent of a block with another number, so a contract can recognise one.
  if (yield* Random.nextBoolean) return { ...drawn, number: undefined, timestamp: undefined } satisfies Setting
  const later = yield* Random.nextIntBetween(1, OTHER_BLOCKS)
  const seconds = Math.ceil((later * blockTimeMillis) / 1_000)
  return {
    ...drawn,
    number: (next.number ?? block.number) + BigInt(later),
    timestamp: (next.timestamp ?? block.timestamp) + BigInt(yield* Random.nextIntBetween(seconds, seconds + 1))
  } satisfies Setting
})

/**
 * Number of the next block after the head, counted from the head. No less than that of the next block of any node: a contract may subtract
 * a number or a time that it has stored from the block's. An endpoint that lags limits the head, while the simulation runs on the newest
 * state. So the head's own time counts as well as that of its reading.
 */
const blocksAhead = (block: Block, readAtMillis: number, now: number, { blockTimeMillis }: BlockTime): number => {
  const sinceReading = Math.max(0, now - readAtMillis)
  const behind = Math.min(now - Number(block.timestamp) * 1_000, LONGEST_BEHIND_MILLIS)
  return 1 + Math.max(Math.ceil(sinceReading / blockTimeMillis), Math.floor(behind / blockTimeMillis))
}

export const make = (chain: BlockTime, asked: Reads): NextBlock => {
  const { balanceOf, coinbases, headNow, reads, tip } = remember(chain, asked)

  const settingOf: NextBlock["settingOf"] = Effect.fnUntraced(function* (recentHead, sender, which) {
    const [{ atMillis, block }, balance] = yield* Effect.all([headNow(recentHead), balanceOf(sender)], {
      concurrency: "unbounded"
    })
    const ahead = blocksAhead(block, atMillis, yield* Clock.currentTimeMillis, chain)
    const next: Setting = {
      number: block.number + BigInt(ahead),
      timestamp: block.timestamp + BigInt(Math.ceil((ahead * chain.blockTimeMillis) / 1_000)),
      // That of the next block differs by an eighth at most (EIP-1559).
      baseFeePerGas: block.baseFeePerGas,
      tip: tip(),
      coinbase: undefined,
      randomness: yield* drawRandomness(block),
      balance
    }
    return which === "next" ? next : yield* drawOther(chain, block, next, coinbases())
  })

  return { reads, settingOf }
}
