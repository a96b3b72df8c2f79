/** Intents in memory, for tests of this project and of integrators. A restart loses them; other processes do not see them. */
import { Clock, Effect, HashMap, Layer, Ref, Stream } from "effect"
import { IntentExists, Intents, type NewIntent } from "../../../ports/orchestrator/Intents.ts"
import * as DeliveryLooks from "./DeliveryLooks.ts"
import * as GivenUpIntents from "./GivenUpIntents.ts"
import * as IntentMoves from "./IntentMoves.ts"
import * as IntentQueue from "./IntentQueue.ts"
import * as IntentReads from "./IntentReads.ts"
import * as Sweeps from "./Sweeps.ts"
import { account, lookup, OrchestratorState, withIntent } from "./OrchestratorState.ts"

const conflicts = (a: NewIntent, b: NewIntent): boolean =>
  a.quote.id === b.quote.id ||
  a.orderDigest === b.orderDigest ||
  (a.order.owner === b.order.owner &&
    a.order.nonce === b.order.nonce &&
    a.quote.sourceChainId === b.quote.sourceChainId)

const nextOrderNonce =
  ({ state }: OrchestratorState["Service"]): Intents["Service"]["nextOrderNonce"] =>
  (chainId, owner, atLeast, count = 1) =>
    Ref.modify(state, (current) => {
      const key = account(chainId, owner)
      const next = lookup(current.orderNonces, key) ?? 0n
      const nonce = next > atLeast ? next : atLeast
      return [nonce, { ...current, orderNonces: HashMap.set(current.orderNonces, key, nonce + BigInt(count)) }]
    })

const create = ({ state }: OrchestratorState["Service"]): Intents["Service"]["create"] =>
  Effect.fnUntraced(function* (intent) {
    const at = yield* Clock.currentTimeMillis
    const { id } = intent.quote
    const created = yield* Ref.modify(state, (current) =>
      Array.from(HashMap.values(current.intents)).some((stored) => conflicts(stored.intent, intent))
        ? [false, current]
        : [true, withIntent(current, { intent: { ...intent, id, status: "quoted", createdAtMs: at, updatedAtMs: at } })]
    )
    if (!created) return yield* new IntentExists({ id })
  })

const make = Effect.map(OrchestratorState, (shared) =>
  Intents.of({
    nextOrderNonce: nextOrderNonce(shared),
    create: create(shared),
    find: IntentReads.find(shared),
    findAll: IntentReads.findAll(shared),
    states: IntentReads.states(shared),
    quotes: IntentReads.quotes(shared),
    submit: IntentMoves.submit(shared),
    submitSweep: IntentMoves.submitSweep(shared),
    findSweep: Sweeps.findSweep(shared),
    sweepsOf: Sweeps.sweepsOf(shared),
    claim: IntentQueue.claim(shared),
    release: IntentQueue.release(shared),
    waiting: IntentQueue.waiting(shared),
    overdue: IntentQueue.overdue(shared),
    giveUp: GivenUpIntents.giveUp(shared),
    givenUp: GivenUpIntents.givenUp(shared),
    givenUpReasons: GivenUpIntents.givenUpReasons(shared),
    apply: IntentMoves.apply(shared),
    applyAll: IntentMoves.applyAll(shared),
    resettle: IntentMoves.resettle(shared),
    burned: IntentReads.burned(shared),
    hasSettled: IntentReads.hasSettled(shared),
    settledOf: IntentReads.settledOf(shared),
    inStatus: IntentReads.inStatus(shared),
    deliveriesDue: DeliveryLooks.due(shared),
    fillsDue: DeliveryLooks.fillsDue(shared),
    noteFill: DeliveryLooks.noteFill(shared),
    noteSearches: DeliveryLooks.noteSearches(shared),
    postponeDeliveries: DeliveryLooks.postpone(shared),
    counts: IntentReads.counts(shared),
    wakes: (chainId) =>
      Stream.fromPubSub(shared.wakes).pipe(
        Stream.filter((submittedOn) => submittedOn === chainId),
        Stream.map(() => undefined)
      )
  })
)

export const layerNoDeps = Layer.effect(Intents, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
