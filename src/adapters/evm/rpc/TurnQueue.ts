/**
 * Requests that wait for their turns, in the order of their priorities. Every eighth turn belongs to the request that has waited
 * longest, so that none starves.
 */
import type { Effect } from "effect"
import { PRIORITIES } from "../../../ports/shared/Priority.ts"
import type * as Budget from "./Budget.ts"

/** One of so many turns belongs to the request that has waited longest. */
const OLDEST_EVERY = 8

export interface Waiter {
  readonly cost: Budget.Cost
  readonly rank: number
  /** UNIX milliseconds. */
  readonly since: number
  readonly deadline: number
  readonly end: (outcome: Effect.Effect<number, number>) => void
}

export interface TurnQueue {
  readonly isEmpty: () => boolean
  readonly add: (waiter: Waiter) => void
  readonly remove: (waiter: Waiter) => void
  /** The request whose turn is next. */
  readonly next: () => Waiter | undefined
  /** Removes a request that has its turn. */
  readonly give: (waiter: Waiter) => void
  /** Removes and returns the requests whose deadlines have passed, or are further away than ever, because the clock was set back. */
  readonly expired: (now: number) => ReadonlyArray<Waiter>
  /** Cost of the requests that have their turn before a new one of this rank. */
  readonly costAhead: (newRank: number) => Budget.Cost
}

/** A request is not held longer than twice its patience by a clock that was set back. */
const isExpired = ({ deadline, since }: Waiter, now: number): boolean =>
  deadline <= now || deadline - now > 2 * (deadline - since)

export const make = (): TurnQueue => {
  /** By rank; each in the order of arrival. */
  const waiting: ReadonlyArray<Set<Waiter>> = PRIORITIES.map(() => new Set())
  let turns = 0

  const firsts = (): ReadonlyArray<Waiter> => waiting.flatMap((queue) => [...queue].slice(0, 1))

  const remove: TurnQueue["remove"] = (waiter) => {
    waiting[waiter.rank]?.delete(waiter)
  }

  return {
    isEmpty: () => waiting.every(({ size }) => size === 0),
    add: (waiter) => {
      waiting[waiter.rank]?.add(waiter)
    },
    remove,
    next: () => {
      const [highest, ...others] = firsts()
      if (highest === undefined || turns % OLDEST_EVERY !== OLDEST_EVERY - 1) return highest
      return others.reduce((oldest, each) => (each.since < oldest.since ? each : oldest), highest)
    },
    give: (waiter) => {
      turns += 1
      remove(waiter)
    },
    expired: (now) => {
      const found = waiting.flatMap((queue) => [...queue].filter((waiter) => isExpired(waiter, now)))
      for (const waiter of found) remove(waiter)
      return found
    },
    costAhead: (newRank) => {
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
  }
}
