/**
 * Subjects of requests, such as an owner or a token. Anybody can ask about a wallet or a token of which a working provider answers late or
 * with a failure, so failures of one subject must not close the provider for all others.
 */
import { Context, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import * as LatestMap from "../../domain/LatestMap.ts"

/** Subject of the requests of the current fiber. Undefined if nobody outside chooses it. */
export const Current = Context.Reference<string | undefined>("sweep/providers/Subject", {
  defaultValue: () => undefined
})

/** Runs an effect whose requests ask about this subject. */
export const of =
  (subject: string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, subject)

/** The first token that is not on its chain's list. Undefined if all are: a listed token is no reason for a service to be late. */
export const unlisted = (...tokens: ReadonlyArray<readonly [Chain.Chain, Address.Address]>): string | undefined =>
  tokens.find(([chain, token]) => Chain.listedTier(chain, token) === "tier3")?.[1]

/** Time for which further failures of a subject count for nothing, in milliseconds. Longer than a circuit is open. */
const REMEMBERED_MILLIS = 600_000

/** Time between probes with subjects that have failed, in milliseconds. Others are likelier to tell that the provider is back. */
const BETWEEN_PROBES_MILLIS = 5_000

/** Subjects whose failures are remembered. */
const CAPACITY = 10_000

/** Makes the memory of the subjects that failed at one provider. All times are UNIX milliseconds. */
export const makeFailures = () => {
  const failedAt = LatestMap.make<string, number>(CAPACITY)
  let probesAfter = Number.NEGATIVE_INFINITY

  const hasFailed = (subject: string, now: number): boolean =>
    now - (failedAt.get(subject) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MILLIS

  return {
    hasFailed,
    /** Remembers a failure. True if it counts against the provider: the first one of its subject for a while. */
    failed: (subject: string, now: number): boolean => {
      if (hasFailed(subject, now)) return false
      failedAt.set(subject, now)
      return true
    },
    /** Milliseconds until a subject that has failed may be asked about to see if the provider is back. 0: it may now, once. */
    untilProbe: (now: number): number => {
      if (now < probesAfter) return probesAfter - now
      probesAfter = now + BETWEEN_PROBES_MILLIS
      return 0
    }
  }
}
