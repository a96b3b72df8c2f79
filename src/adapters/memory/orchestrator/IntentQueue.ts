/** The queue of in-memory intents that are submitted and that no transaction carries. */
import { Clock, Effect, HashMap, Ref } from "effect"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import {
  carriesOwner,
  lookup,
  type OrchestratorState,
  type State,
  type StoredIntent,
  unleased,
  unwaiting,
  withIntent
} from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

export const isQueued = ({ intent, relayTransactionId }: StoredIntent): boolean =>
  intent.status === "submitted" && relayTransactionId === undefined

/** Oldest submission first. */
export const bySubmission = (a: StoredIntent, b: StoredIntent): number =>
  (a.intent.submittedAtMs ?? 0) - (b.intent.submittedAtMs ?? 0) || (a.intent.id < b.intent.id ? -1 : 1)

/** Earliest end of rest first. */
const byEndOfRest = (a: StoredIntent, b: StoredIntent): number =>
  (a.notBeforeMs ?? 0) - (b.notBeforeMs ?? 0) || (a.intent.id < b.intent.id ? -1 : 1)

const queuedOn = ({ intents }: State, chainId: number): ReadonlyArray<StoredIntent> =>
  Array.from(HashMap.values(intents)).filter(
    (stored) => isQueued(stored) && stored.intent.quote.sourceChainId === chainId
  )

/** True if both are legs of one sweep. */
const isSibling = ({ intent }: StoredIntent, other: StoredIntent): boolean =>
  intent.submission?.batch !== undefined && intent.submission.batch.sweepId === other.intent.submission?.batch?.sweepId

export const claim = ({ state }: Shared): Intents["Service"]["claim"] =>
  Effect.fnUntraced(function* ({ chainId, leaseMillis, limit, order = "oldest", worker }) {
    const at = yield* Clock.currentTimeMillis
    return yield* Ref.modify(state, (current) => {
      const queued = queuedOn(current, chainId).toSorted(bySubmission)
      const busy = new Set(
        queued.flatMap(({ intent, leaseUntilMs }) =>
          (leaseUntilMs !== undefined && leaseUntilMs > at) || carriesOwner(current, chainId, intent.order.owner)
            ? [intent.order.owner]
            : []
        )
      )
      const due = queued.filter(({ notBeforeMs }) => notBeforeMs === undefined || notBeforeMs <= at)
      const free = due.filter(({ intent }) => {
        if (busy.has(intent.order.owner)) return false
        busy.add(intent.order.owner)
        return true
      })
      const isFresh = ({ notBeforeMs }: StoredIntent): boolean => notBeforeMs === undefined
      const [fresh, rested] = [free.filter(isFresh), free.filter((stored) => !isFresh(stored)).toSorted(byEndOfRest)]
      const claimed: Array<StoredIntent> = []
      const first =
        order === "fresh"
          ? [...fresh, ...rested].slice(0, limit)
          : [...fresh.slice(0, limit), ...rested.slice(0, limit)].toSorted(bySubmission).slice(0, limit)
      for (const stored of first) {
        const group = due.filter((other) => other === stored || isSibling(stored, other))
        if (claimed.length > 0 && claimed.length + group.length > limit) break
        claimed.push(...group)
      }
      claimed.sort(bySubmission)
      const next = claimed.reduce(
        (acc, stored) => withIntent(acc, { ...unleased(stored), leaseUntilMs: at + leaseMillis, leaseWorker: worker }),
        current
      )
      return [claimed.toSorted(bySubmission).map(({ intent }) => intent), next]
    })
  })

/** True if no other worker has leased it, or has put it off. */
export const isHeldBy = ({ leaseWorker, notBeforeMs }: StoredIntent, worker: string | undefined): boolean =>
  worker === undefined || leaseWorker === worker || (leaseWorker === undefined && notBeforeMs === undefined)

export const release =
  ({ state }: Shared): Intents["Service"]["release"] =>
  (ids, { notBeforeMs, waitingFor, worker } = {}) =>
    Ref.update(state, (current) =>
      ids.reduce((acc, id) => {
        const stored = lookup(acc.intents, id)
        if (stored === undefined || !isQueued(stored) || !isHeldBy(stored, worker)) return acc
        return withIntent(acc, {
          ...unwaiting(stored),
          ...(notBeforeMs === undefined ? {} : { notBeforeMs }),
          ...(waitingFor === undefined ? {} : { waitingFor })
        })
      }, current)
    )

export const waiting =
  ({ state }: Shared): Intents["Service"]["waiting"] =>
  (chainId, cause) =>
    Effect.map(
      Ref.get(state),
      (current) => queuedOn(current, chainId).filter(({ waitingFor }) => waitingFor === cause).length
    )

const EARLIEST: { readonly deadline: bigint; readonly without: ReadonlyArray<string> } = { deadline: 0n, without: [] }

export const overdue =
  ({ state }: Shared): Intents["Service"]["overdue"] =>
  (chainId, before, limit, from = EARLIEST) =>
    Effect.map(Ref.get(state), (current) =>
      queuedOn(current, chainId)
        .map(({ intent }) => intent)
        .filter(({ order }) => order.deadline < before && order.deadline >= from.deadline)
        .filter(({ id }) => !from.without.includes(id))
        .toSorted((a, b) => Number(a.order.deadline - b.order.deadline))
        .slice(0, limit)
    )
