/** Decisions about transactions that no pass of the watcher waits for. */
import { type Cause, Effect, type Scope } from "effect"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type Finding, NOTHING } from "./Findings.ts"
import * as PerTransaction from "./PerTransaction.ts"

/** Time in which a decision about a transaction must end, in milliseconds. Each request to a node has a much shorter timeout. */
const ASIDE_MILLIS = 300_000

type Decided = Pick<RelayTransaction, "chainId" | "id">

export interface Aside {
  /** Begins a decision, and does not wait for it. One that fails is made again by a later pass. */
  readonly decideAside: (
    transaction: Decided,
    decision: Effect.Effect<ReadonlyArray<Finding>, StoreUnavailable>
  ) => Effect.Effect<void>
  /** True until the end of the decision about the transaction with this id. */
  readonly isDeciding: (id: string) => boolean
  /** Ids of the chain's transactions about which decisions go on. */
  readonly decidingOn: (chainId: number) => ReadonlyArray<string>
  /** Finding of a pass about it meanwhile: the node's silence, if the last decision ended with it. */
  readonly findingOf: (id: string) => Finding
  /** Forgets the chain's transactions that are not among these. */
  readonly retain: (chainId: number, unfinished: ReadonlyArray<Decided>) => void
}

export const make: Effect.Effect<Aside, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  /** Chain ids of the transactions, by their ids. */
  const deciding = new Map<string, number>()
  const unanswered = PerTransaction.make<Finding>()

  const noted = Effect.fnUntraced(function* (
    transaction: Decided,
    decision: Effect.Effect<ReadonlyArray<Finding>, StoreUnavailable>
  ) {
    const findings = yield* decision
    const finding = findings.find(({ unavailable }) => unavailable !== undefined)
    if (finding === undefined) unanswered.delete(transaction.id)
    else unanswered.set(transaction, finding)
  })

  const failed = (id: string, cause: Cause.Cause<StoreUnavailable>): Effect.Effect<void> =>
    Effect.annotateLogs(Effect.logWarning("watch.undecided", cause), { transaction: id })

  const decideAside: Aside["decideAside"] = (transaction, decision) =>
    Effect.suspend(() => {
      const { chainId, id } = transaction
      deciding.set(id, chainId)
      const ended = Effect.sync(() => deciding.delete(id))
      const decided: Effect.Effect<unknown> = Effect.catchCause(
        Effect.timeoutOption(noted(transaction, decision), ASIDE_MILLIS),
        (cause) => failed(id, cause)
      )
      return Effect.asVoid(Effect.forkIn(Effect.ensuring(decided, ended), scope))
    })

  return {
    decideAside,
    findingOf: (id: string): Finding => unanswered.get(id) ?? NOTHING,
    decidingOn: (chainId: number): ReadonlyArray<string> =>
      [...deciding].flatMap(([id, of]) => (of === chainId ? [id] : [])),
    isDeciding: (id: string): boolean => deciding.has(id),
    retain: unanswered.retain
  }
})
