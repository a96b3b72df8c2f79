/**
 * Turns of requests at one endpoint. A request that the budget grants now goes at once, without a fiber. Others wait in the order
 * of their priorities. Every eighth turn belongs to the request that has waited longest, so that none starves. A request that
 * would wait too long is refused at once.
 *
 * Effect's own limiters were tried for this: `RateLimiter` reserves in the order of arrival, cannot take a reservation back when a
 * request is interrupted, and learns only from refusals with a `Retry-After`. `Semaphore` and `PartitionedSemaphore` limit what
 * runs at a time, not what starts in a second.
 */
import { Clock, Effect } from "effect"
import { Current, type Priority, PRIORITIES, rank } from "../../../ports/shared/Priority.ts"
import * as Budget from "./Budget.ts"
import { PATIENCE_MILLIS } from "./Patience.ts"

/** One of so many turns belongs to the request that has waited longest. */
const OLDEST_EVERY = 8

/** Longest sleep of the fiber that gives turns, in milliseconds. The budget and the queue may have changed by then. */
const LONGEST_SLEEP_MILLIS = 50

interface Waiter {
  readonly cost: Budget.Cost
  readonly rank: number
  /** UNIX milliseconds. */
  readonly since: number
  readonly deadline: number
  readonly end: (outcome: Effect.Effect<number, number>) => void
}

export interface Turns {
  /**
   * Waits for a turn, and spends the cost. Returns the time of the turn in UNIX milliseconds. Fails with the milliseconds after
   * which the budget may grant it, if that is later than the fiber's priority waits.
   */
  readonly take: (cost: Budget.Cost) => Effect.Effect<number, number>
  /** Milliseconds until a request of this cost and priority would be sent. 0: at once. */
  readonly waitOf: (cost: Budget.Cost, priority: Priority, now: number) => number
  /** Tells the budget the outcome of a request. */
  readonly record: (event: Budget.Event, now: number) => void
}

export const make = (limits: Budget.Limits, startMillis: number): Turns => {
  let budget = Budget.make(limits, startMillis)
  /** By rank; each in the order of arrival. */
  const waiting: ReadonlyArray<Set<Waiter>> = PRIORITIES.map(() => new Set())
  let turns = 0
  let isGiving = false

  const isEmpty = (): boolean => waiting.every(({ size }) => size === 0)

  const decide = (event: Budget.Event, now: number): number => {
    const decision = Budget.decide(budget, event, now)
    budget = decision.budget
    return decision.delayMillis
  }

  /** Cost of the requests that have their turn before a new one of this rank. */
  const costAhead = (newRank: number): Budget.Cost => {
    let requests = 0
    let computeUnits = 0
    for (const queue of waiting.slice(0, newRank + 1)) {
      for (const { cost } of queue) {
        requests += cost.requests
        computeUnits += cost.computeUnits
      }
    }
    return { requests, computeUnits }
  }

  const waitOf: Turns["waitOf"] = (cost, priority, now) =>
    Budget.delayOf(budget, cost, isEmpty() ? Budget.FREE : costAhead(rank(priority)), now)

  const firsts = (): ReadonlyArray<Waiter> => waiting.flatMap((queue) => [...queue].slice(0, 1))

  const next = (): Waiter | undefined => {
    const [highest, ...others] = firsts()
    if (highest === undefined || turns % OLDEST_EVERY !== OLDEST_EVERY - 1) return highest
    return others.reduce((oldest, each) => (each.since < oldest.since ? each : oldest), highest)
  }

  const remove = (waiter: Waiter): void => {
    waiting[waiter.rank]?.delete(waiter)
  }

  const expire = (now: number): void => {
    for (const queue of waiting) {
      for (const waiter of queue) {
        if (waiter.deadline > now) continue
        queue.delete(waiter)
        waiter.end(Effect.fail(Math.max(1, Budget.delayOf(budget, waiter.cost, Budget.FREE, now))))
      }
    }
  }

  /** Gives the turns that the budget grants now. Returns the milliseconds until the next may be granted; 0 if none waits. */
  const give = (now: number): number => {
    for (let waiter = next(); waiter !== undefined; waiter = next()) {
      const delayMillis = decide({ _tag: "Asked", cost: waiter.cost }, now)
      if (delayMillis > 0) return Math.min(delayMillis, LONGEST_SLEEP_MILLIS)
      turns += 1
      remove(waiter)
      waiter.end(Effect.succeed(now))
    }
    return 0
  }

  const giving: Effect.Effect<void> = Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const sleep = give(now)
      expire(now)
      if (isEmpty()) return
      yield* Effect.sleep(Math.max(1, sleep))
    }
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isGiving = false
      })
    )
  )

  /** Runs while requests wait, and ends by itself. */
  const startGiving = Effect.suspend(() => {
    if (isGiving) return Effect.void
    isGiving = true
    return Effect.asVoid(Effect.forkDetach(giving))
  })

  const wait = (cost: Budget.Cost, priority: Priority, now: number): Effect.Effect<number, number> =>
    Effect.andThen(
      startGiving,
      Effect.callback<number, number>((resume) => {
        const waiter = {
          cost,
          rank: rank(priority),
          since: now,
          deadline: now + PATIENCE_MILLIS[priority],
          end: resume
        }
        waiting[waiter.rank]?.add(waiter)
        return Effect.sync(() => remove(waiter))
      })
    )

  const take: Turns["take"] = (cost) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (isEmpty() && decide({ _tag: "Asked", cost }, now) === 0) return Effect.succeed(now)
      return Effect.flatMap(Current, (priority) => {
        const estimate = waitOf(cost, priority, now)
        return estimate > PATIENCE_MILLIS[priority] ? Effect.fail(estimate) : wait(cost, priority, now)
      })
    })

  return {
    take,
    waitOf,
    record: (event, now) => {
      decide(event, now)
    }
  }
}
