/** Finds sweeps for an operator by whatever names them, and tells the whole story of one. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { isTerminal } from "../../domain/Intent.ts"
import { executionGas } from "../../domain/RelayGas.ts"
import { parse, type SearchTerm } from "../../domain/SearchTerm.ts"
import type { FoundByOrchestrator, FoundSweep, SweepStory } from "../../domain/SweepStory.ts"
import { HeldIntents, type HeldIntent } from "../../ports/orchestrator/HeldIntents.ts"
import { type Intent, Intents, type IntentState } from "../../ports/orchestrator/Intents.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { type SweepRecord, SweepRecords } from "../../ports/orchestrator/SweepRecords.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { rolesIn } from "./AddressRoles.ts"
import { HealthCheck } from "./HealthCheck.ts"
import { explain } from "./StuckExplanation.ts"

/** Sweeps that one search lists. */
const LISTED = 50

export class StoryDesk extends Context.Service<
  StoryDesk,
  {
    /**
     * Sweeps that the text names: by the id of an intent or a batch, the hash of a transaction, or the address of the owner. An
     * address is told with its parts in the deployment.
     */
    readonly find: (text: string) => Effect.Effect<FoundByOrchestrator, StoreUnavailable>
    /** All that is known of a sweep; none if the id is unknown. */
    readonly story: (id: string) => Effect.Effect<Option.Option<SweepStory>, StoreUnavailable>
  }
>()("sweep/orchestrator/StoryDesk") {
  static readonly layer = Layer.effect(
    StoryDesk,
    // The methods are defined below.
    Effect.suspend(() => Effect.all({ find: makeFind, story: makeStory }))
  )
}

const NOTHING: FoundByOrchestrator = { sweeps: [], more: false, roles: [] }

const toFound = ({ attributed, createdAtMs, id, order, quote, status }: Intent): FoundSweep => ({
  id,
  status,
  owner: order.owner,
  sourceChainId: quote.sourceChainId,
  destChainId: Number(order.destChainId),
  tokenIn: order.tokenIn,
  amountIn: order.amountIn,
  tokenOut: order.tokenOut,
  ...(attributed === undefined ? {} : { builderId: attributed.builderId }),
  createdAtMs
})

const makeRoles = Effect.gen(function* () {
  const book = yield* LaneBook
  const chains = yield* Chains
  const keys = yield* RelayerKeys
  return Effect.fnUntraced(function* (address: Address.Address) {
    const former = yield* book.states
    return chains.all.flatMap(({ chain }) =>
      rolesIn(chain, address, former.has(address) || keys.lanes(chain.id).includes(address))
    )
  })
})

const makeFind = Effect.gen(function* () {
  const chains = yield* Chains
  const intents = yield* Intents
  const records = yield* SweepRecords
  const rolesOf = yield* makeRoles

  const listed = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found = yield* intents.findAll(ids.slice(0, LISTED))
    const sweeps = found.map(toFound).toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1))
    return { sweeps, more: ids.length > LISTED }
  })

  const byTerm = Effect.fnUntraced(function* (term: SearchTerm) {
    const chainIds = chains.all.map(({ chain }) => chain.id)
    switch (term._tag) {
      case "Address": {
        const ids = yield* records.ofOwner(term.address, chainIds, LISTED + 1)
        return { ...(yield* listed(ids)), roles: yield* rolesOf(term.address) }
      }
      case "Hash":
        return { ...NOTHING, ...(yield* listed(yield* records.ofTransaction(term.hash, chainIds, LISTED + 1))) }
      case "Id": {
        const single = yield* listed([term.id])
        if (single.sweeps.length > 0) return { ...NOTHING, ...single }
        const batch = yield* intents.findSweep(term.id)
        if (Option.isNone(batch)) return NOTHING
        return { ...NOTHING, ...(yield* listed(batch.value.intentIds)), batch: batch.value.id }
      }
    }
  })

  return Effect.fn("StoryDesk.find")(function* (text: string) {
    const term = parse(text)
    return term === undefined ? NOTHING : yield* byTerm(term)
  })
})

/** The fields that have a value. */
const known = <A extends object>(fields: A): { [K in keyof A]?: NonNullable<A[K]> } => {
  const kept: { [K in keyof A]?: NonNullable<A[K]> } = {}
  for (const key in fields) {
    const value = fields[key]
    if (value !== null && value !== undefined) kept[key] = value
  }
  return kept
}

interface Parts {
  readonly intent: Intent
  readonly state: IntentState | undefined
  readonly held: HeldIntent | undefined
  readonly record: SweepRecord
  readonly waiting: SweepStory["waiting"]
}

const toStory = ({ held, intent, record, state, waiting }: Parts): SweepStory => ({
  id: intent.id,
  status: intent.status,
  createdAtMs: intent.createdAtMs,
  updatedAtMs: intent.updatedAtMs,
  quote: intent.quote,
  order: intent.order,
  orderDigest: intent.orderDigest,
  userId: intent.userId,
  rehearsal: {
    atBlock: intent.quotedAtBlock,
    gasLimit: executionGas(intent),
    ...(intent.cover === undefined ? {} : { coveredGas: intent.cover.gas, coveredGasPrice: intent.cover.gasPrice })
  },
  history: record.history,
  transactions: record.transactions,
  messages: record.messages,
  retryable: intent.status === "submitted" && held?.carrier === undefined,
  ...known({
    submittedAtMs: intent.submittedAtMs,
    batchId: record.sweepId,
    payoutMode: intent.attributed?.payoutMode,
    network: intent.network,
    waiting,
    givenUp: held?.givenUp,
    txHash: intent.txHash,
    deliveryTxHash: intent.deliveryTxHash,
    amountOut: intent.amountOut,
    failureReason: intent.failureReason,
    failureDetail: intent.failureDetail,
    arrivedInstead: state?.arrivedInstead,
    refund: state?.refund
  })
})

const makeStory = Effect.gen(function* () {
  const alerts = yield* Alerts
  const { check } = yield* HealthCheck
  const heldIntents = yield* HeldIntents
  const intents = yield* Intents
  const records = yield* SweepRecords

  /** The cause for which a signed sweep waits. Ended and unsigned sweeps wait for nothing. */
  const waitingOf = Effect.fnUntraced(function* (held: HeldIntent | undefined) {
    if (held === undefined || held.status === "quoted" || isTerminal(held.status)) return undefined
    const nowMs = yield* Clock.currentTimeMillis
    const [health, standing] = yield* Effect.all([check, alerts.list], { concurrency: "unbounded" })
    return explain(held, { nowMs, health, alerts: standing })
  })

  return Effect.fn("StoryDesk.story")(function* (id: string) {
    const found = yield* intents.find(id)
    const recorded = yield* records.of(id)
    if (Option.isNone(found) || Option.isNone(recorded)) return Option.none()
    const [states, held] = yield* Effect.all([intents.states([id]), heldIntents.find(id)], {
      concurrency: "unbounded"
    })
    const isHeld = Option.getOrUndefined(held)
    return Option.some(
      toStory({
        intent: found.value,
        state: states[0],
        held: isHeld,
        record: recorded.value,
        waiting: yield* waitingOf(isHeld)
      })
    )
  })
})
