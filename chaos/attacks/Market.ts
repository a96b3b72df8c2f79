/**
 * Blocks at a fixed pace whose base fee follows a given course: a local node would let it fall to nothing. Every block has a transaction
 * of somebody else with an ordinary tip, as those of a public chain have. A thread of its own mines them, since a block that comes late
 * makes every sweep late.
 */
import { setPriority } from "node:os"
import { Deferred, Effect } from "effect"
import { parseGwei } from "viem"
import type { Place } from "../Holdings.ts"
import * as Course from "./Course.ts"
import type { Block, Task } from "./MarketWorker.ts"

/** Base fee of quiet times, in wei per gas. */
export const QUIET = parseGwei("1")

/** Time to the first block. */
const FIRST = "30 seconds"

/** A chain and a database have machines of their own, so everything else yields to them where all share the cores of this one. */
const YIELDING = 5

/** Time in milliseconds in which the service has seen a new base fee. */
export const SEEN_MILLIS = 1_500

/** By so much may the base fee exceed that of the quote before a sweep waits for it, as the service's default has it. */
const TOLERANCE = 125n

/** See {@link Market.rose}. */
export const rose = (mined: ReadonlyArray<Block>, since: number, until: number): boolean => {
  const seen = mined.filter(({ at }) => at >= since - SEEN_MILLIS && at <= until)
  const lowest = seen.reduce((least, { baseFee }) => (baseFee < least ? baseFee : least), seen[0]?.baseFee ?? 0n)
  return seen.some(({ at, baseFee }) => at >= since && 100n * baseFee > TOLERANCE * lowest)
}

/** Longest time between two blocks of which some lies between the two times, in milliseconds. 0 without any. */
export const slowestBlock = (mined: ReadonlyArray<Block>, since: number, until: number): number =>
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
  readonly follow: (course: Course.Course) => Effect.Effect<void>
  readonly calm: Effect.Effect<void>
}

/**
 * Mines until the scope closes. The thread that calls this, and the processes that it starts afterwards, yield to the node and to
 * whatever ran before.
 */
export const start = Effect.fnUntraced(function* ({ dev }: Place) {
  const mined: Array<Block> = []
  yield* Effect.acquireRelease(
    dev.node.ask("mine when told", (node) => node.setAutomine(false)),
    () => Effect.ignore(dev.node.ask("mine at once", (node) => node.setAutomine(true)))
  )
  const first = yield* Deferred.make<void, Error>()
  const thread = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(new URL("MarketWorker.ts", import.meta.url))),
    (worker) => Effect.promise(async () => worker.terminate())
  )
  thread.addEventListener("message", ({ data: { at, baseFee } }: MessageEvent<Block>) => {
    mined.push({ at: at - performance.timeOrigin, baseFee })
    Deferred.doneUnsafe(first, Effect.void)
  })
  thread.addEventListener("error", ({ message }) => Deferred.doneUnsafe(first, Effect.fail(new Error(message))))
  const tell = (task: Task) => Effect.sync(() => thread.postMessage(task, []))
  const follow = (course: Course.Course) => tell({ kind: "follow", course })

  yield* tell({ kind: "mine", chainId: dev.chain.id, rpcUrl: dev.node.rpcUrl, course: Course.level(QUIET) })
  yield* Deferred.await(first).pipe(Effect.timeout(FIRST), Effect.orDie)
  yield* Effect.sync(() => setPriority(0, YIELDING))
  return {
    rose: (since, until) => rose(mined, since, until),
    slowestBlock: (since, until) => slowestBlock(mined, since, until),
    follow,
    calm: follow(Course.level(QUIET))
  } satisfies Market
})
