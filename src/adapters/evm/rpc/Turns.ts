/**
 * Turns of requests at one endpoint. A request that the budget grants now goes at once, without a fiber. Others wait in a
 * {@link TurnQueue}. A request that would wait too long is refused at once.
 *
 * Effect's own limiters were tried for this: `RateLimiter` reserves in the order of arrival, cannot take a reservation back when a
 * request is interrupted, and learns only from refusals with a `Retry-After`. `Semaphore` and `PartitionedSemaphore` limit what
 * runs at a time, not what starts in a second.
 */
import { Clock, Deferred, Effect } from "effect"
import * as Priority from "../../../ports/shared/Priority.ts"
import * as Budget from "./Budget.ts"
import { PATIENCE_MILLIS } from "./Patience.ts"
import * as TurnQueue from "./TurnQueue.ts"

/** Longest sleep of the fiber that gives turns, in milliseconds. The budget and the queue may have changed by then. */
const LONGEST_SLEEP_MILLIS = 50

export interface Turns {
  /**
   * Waits for a turn, and spends the cost. Returns the time of the turn in UNIX milliseconds. Fails with the milliseconds after
   * which the budget may grant it, if that is later than the fiber's priority waits.
   */
  readonly take: (cost: Budget.Cost) => Effect.Effect<number, number>
  /** Milliseconds until a request of this cost and priority would be sent. 0: at once. */
  readonly waitOf: (cost: Budget.Cost, priority: Priority.Priority, now: number) => number
  /** Tells the budget the outcome of a request. */
  readonly record: (event: Budget.Event, now: number) => void
}

/**
 * Makes an effect that starts a fiber, unless one runs. The fiber runs `give`, and sleeps for the milliseconds that it returns, until
 * no request waits.
 */
const makeStart = (queue: TurnQueue.TurnQueue, give: (now: number) => number): Effect.Effect<void> => {
  let isGiving = false
  const giving: Effect.Effect<void> = Effect.gen(function* () {
    for (;;) {
      const sleep = give(yield* Clock.currentTimeMillis)
      if (queue.isEmpty()) {
        // In the same step, because a request that arrives later must find that no fiber serves it.
        isGiving = false
        return
      }
      yield* Effect.sleep(Math.max(1, sleep))
    }
  }).pipe(
    Effect.onError(() =>
      Effect.sync(() => {
        isGiving = false
      })
    )
  )
  // Uninterruptible, because an interruption between its two steps would leave `isGiving` true without a fiber.
  return Effect.uninterruptible(
    Effect.suspend(() => {
      if (isGiving) return Effect.void
      isGiving = true
      return Effect.asVoid(Effect.forkDetach(giving))
    })
  )
}

export const make = (limits: Budget.Limits, startMillis: number): Turns => {
  let budget = Budget.make(limits, startMillis)
  const queue = TurnQueue.make()

  const decide = (event: Budget.Event, now: number): number => {
    const decision = Budget.decide(budget, event, now)
    budget = decision.budget
    return decision.delayMillis
  }

  const waitOf: Turns["waitOf"] = (cost, priority, now) =>
    Budget.delayOf(budget, cost, queue.isEmpty() ? Budget.FREE : queue.costAhead(Priority.rank(priority)), now)

  const expire = (now: number): void => {
    for (const { cost, end } of queue.expired(now)) {
      end(Effect.fail(Math.max(1, Budget.delayOf(budget, cost, Budget.FREE, now))))
    }
  }

  /** Gives the turns that the budget grants now. Returns the milliseconds until the next may be granted; 0 if none waits. */
  const give = (now: number): number => {
    for (let waiter = queue.next(); waiter !== undefined; waiter = queue.next()) {
      const delayMillis = decide({ _tag: "Asked", cost: waiter.cost }, now)
      if (delayMillis > 0) return Math.min(delayMillis, LONGEST_SLEEP_MILLIS)
      queue.give(waiter)
      waiter.end(Effect.succeed(now))
    }
    return 0
  }

  const startGiving = makeStart(queue, (now) => {
    const sleep = give(now)
    expire(now)
    return sleep
  })

  const wait = (cost: Budget.Cost, priority: Priority.Priority, now: number): Effect.Effect<number, number> =>
    Effect.suspend(() => {
      const turn = Deferred.makeUnsafe<number, number>()
      const waiter: TurnQueue.Waiter = {
        cost,
        rank: Priority.rank(priority),
        since: now,
        deadline: now + PATIENCE_MILLIS[priority],
        end: (outcome) => {
          Deferred.doneUnsafe(turn, outcome)
        }
      }
      const given = Effect.suspend(() => {
        // Before the start: this fiber may yield after it, and the started one ends when it finds no request.
        queue.add(waiter)
        return Effect.andThen(startGiving, Deferred.await(turn))
      })
      return Effect.ensuring(
        given,
        Effect.sync(() => queue.remove(waiter))
      )
    })

  const take: Turns["take"] = (cost) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (queue.isEmpty() && decide({ _tag: "Asked", cost }, now) === 0) return Effect.succeed(now)
      return Effect.flatMap(Priority.Current, (priority) => {
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
