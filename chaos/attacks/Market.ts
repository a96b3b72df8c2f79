/**
 * Blocks at a fixed pace whose base fee follows a given course: a local node would let it fall to nothing. Every block has a transaction
 * of somebody else with an ordinary tip, as those of a public chain have.
 */
import { Effect, Schedule } from "effect"
import { parseEther, parseGwei } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Place } from "../Holdings.ts"

/** Between blocks. */
const BLOCK_MILLIS = 200

/** Base fee of quiet times, in wei per gas. */
export const QUIET = parseGwei("1")

/** Priority fee of the transaction of somebody else, in wei per gas. */
const TIP = parseGwei("1")

/** Above every base fee of a run. */
const FEE_CAP = parseGwei("2000")

/** Base fee in wei per gas of the block that is mined at `millis` of `performance.now()`. */
export type Course = (millis: number) => bigint

/** Time in milliseconds in which the service has seen a new base fee. */
export const SEEN_MILLIS = 1_500

/** By so much may the base fee exceed that of the quote before a sweep waits for it, as the service's default has it. */
const TOLERANCE = 125n

/** A block and the time at which it was mined. */
export interface Mined {
  readonly at: number
  readonly baseFee: bigint
}

/** See {@link Market.rose}. */
export const rose = (mined: ReadonlyArray<Mined>, since: number, until: number): boolean => {
  const seen = mined.filter(({ at }) => at >= since - SEEN_MILLIS && at <= until)
  const lowest = seen.reduce((least, { baseFee }) => (baseFee < least ? baseFee : least), seen[0]?.baseFee ?? 0n)
  return seen.some(({ at, baseFee }) => at >= since && 100n * baseFee > TOLERANCE * lowest)
}

/** Longest time between two blocks of which some lies between the two times, in milliseconds. 0 without any. */
export const slowestBlock = (mined: ReadonlyArray<Mined>, since: number, until: number): number =>
  mined.reduce((longest, { at }, index) => {
    const before = mined[index - 1]?.at ?? at
    return at >= since && before <= until ? Math.max(longest, at - before) : longest
  }, 0)

export interface Market {
  /**
   * True if the base fee rose, between two times of `performance.now()`, beyond what a sweep that was quoted at the first one
   * covers. Such a sweep waits, as it should.
   */
  readonly rose: (since: number, until: number) => boolean
  /**
   * Longest time from one block to the next between two times of `performance.now()`, in milliseconds. Sweeps wait for a block that is
   * late because the node, the harness and the service share a machine.
   */
  readonly slowestBlock: (since: number, until: number) => number
  /** Sets the course of the base fee until the scope closes. It is quiet afterwards. */
  readonly follow: (course: Course) => Effect.Effect<void>
  readonly calm: Effect.Effect<void>
}

/** Mines until the scope closes. A node that does not answer is asked again. */
export const start = Effect.fnUntraced(function* ({ dev }: Place) {
  const quiet: Course = () => QUIET
  let course = quiet
  const mined: Array<Mined> = []
  yield* Effect.acquireRelease(
    dev.node.ask("mine when told", (node) => node.setAutomine(false)),
    () => Effect.ignore(dev.node.ask("mine at once", (node) => node.setAutomine(true)))
  )
  const somebody = privateKeyToAccount(generatePrivateKey())
  yield* dev.node.ask("endow somebody", (node) =>
    node.setBalance({ address: somebody.address, value: parseEther("1000000") })
  )
  let nonce = 0
  const block = dev.node.ask("mine", async (node) => {
    const serializedTransaction = await somebody.signTransaction({
      type: "eip1559",
      chainId: dev.chain.id,
      nonce,
      to: somebody.address,
      gas: 21_000n,
      maxFeePerGas: FEE_CAP,
      maxPriorityFeePerGas: TIP
    })
    await node.sendRawTransaction({ serializedTransaction })
    nonce += 1
    const at = performance.now()
    const baseFee = course(at)
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee })
    await node.mine({ blocks: 1 })
    mined.push({ at, baseFee })
  })
  yield* Effect.ignore(block).pipe(Effect.repeat(Schedule.spaced(BLOCK_MILLIS)), Effect.forkScoped)
  return {
    rose: (since, until) => rose(mined, since, until),
    slowestBlock: (since, until) => slowestBlock(mined, since, until),
    follow: (next) => Effect.sync(() => void (course = next)),
    calm: Effect.sync(() => void (course = quiet))
  } satisfies Market
})
