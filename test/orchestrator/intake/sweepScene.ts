/** The intake of sweeps of many tokens, over ports that a test writes by hand. */
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as ViemSignatures from "../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as MemoryFlights from "../../../src/adapters/memory/orchestrator/BridgeFlights.ts"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as MemoryIntents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Screening from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import * as SweepBatch from "../../../src/domain/SweepBatch.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { SweepIntake, type SweepSubmission } from "../../../src/orchestrator/intake/SweepIntake.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { BridgeFlights, type BridgeFlightsShape } from "../../../src/ports/orchestrator/BridgeFlights.ts"
import { Exposures as ExposuresPort } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents, type NewIntent } from "../../../src/ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { address } from "../../support/FakeChain.ts"
import { authorize, chain, OWNER, owner, paused, upgraded, withoutSetCode } from "./intakeScene.ts"
import { overrides } from "../../support/Overrides.ts"

/** A chain on which the owner's account runs the delegate. */
export const delegated: Chain = { ...chain, id: 5, name: "delegated" }

const NONCES = new Map<number, bigint>([[upgraded.id, 7n]])

const quoted = (id: string, chainId: number, holder: Address.Address = OWNER): NewIntent => {
  const intent = newIntent({ id, chainId })
  const nonce = NONCES.get(chainId) ?? intent.order.nonce
  return { ...intent, order: { ...intent.order, owner: holder, builder: Address.zero, nonce } }
}

/** The quote, over a bridge whose value is limited. */
const onTrust = (intent: NewIntent): NewIntent => ({
  ...intent,
  quote: { ...intent.quote, crossChain: true, provider: "relay", estimatedAmountOutUsd: "1", priceImpactBps: 0 }
})

/** The quote, for contracts that the chain's settings do not name. */
const atUnknownGuard = (intent: NewIntent): NewIntent => ({
  ...intent,
  order: { ...intent.order, nonce: bound(address(0x99), 7n) }
})

/** The quote, of native currency that its builder gets in the wrapped form. */
const toItsBuilder = (intent: NewIntent): NewIntent => ({
  ...intent,
  order: {
    ...intent.order,
    tokenIn: NATIVE,
    tokenOut: chain.wrappedNative,
    builder: address(0x78),
    builderFee: 1n,
    destination: address(0x78),
    destChainId: BigInt(chain.id)
  }
})

/** Quotes of the owner: `a` and `b` on a chain that needs an authorization, `c` on one that does not, and others that cannot be swept. */
const QUOTES = [
  quoted("a", chain.id),
  quoted("b", chain.id),
  quoted("c", delegated.id),
  quoted("paused", paused.id),
  quoted("old", withoutSetCode.id),
  quoted("upgraded", upgraded.id),
  atUnknownGuard(quoted("replaced", chain.id)),
  quoted("foreign", chain.id, address(0x77)),
  onTrust(quoted("relayed", chain.id)),
  toItsBuilder(quoted("counted", chain.id))
]

export const sign = (ids: ReadonlyArray<string>, domain = "Service") => {
  const [first, ...others] = ids.flatMap((id) =>
    QUOTES.filter(({ quote }) => quote.id === id).map(({ order, quote }) => ({ chainId: quote.sourceChainId, order }))
  )
  if (first === undefined) throw new Error("nothing to sign")
  return Effect.promise(() => owner.sign({ hash: SweepBatch.digest([first, ...others], domain) }))
}

/** Changes of the scene's ports. */
export interface Changes {
  readonly flights?: BridgeFlightsShape
  /** Limit of each bridge on trust, in US dollars scaled by 10^18. Default: nothing keeps reservations. */
  readonly flightLimit?: bigint
  /** Precedes each reservation. */
  readonly reserving?: Effect.Effect<void, StoreUnavailable>
  /** Precedes the storing of a sweep. */
  readonly storing?: (intents: Intents["Service"]) => Effect.Effect<void, StoreUnavailable>
}

export const make = Effect.fnUntraced(function* ({ flightLimit, flights, reserving, storing }: Changes = {}) {
  const stores = Layer.effect(
    Intents,
    Effect.map(Intents, (stored) =>
      Intents.of({
        ...stored,
        submitSweep: (sweep) => Effect.andThen(storing?.(stored) ?? Effect.void, stored.submitSweep(sweep))
      })
    )
  ).pipe(Layer.provide(MemoryIntents.layer))
  const exposed = Layer.effect(
    ExposuresPort,
    Effect.map(ExposuresPort, (stored) =>
      ExposuresPort.of({
        ...stored,
        reserve: (...args) => Effect.andThen(reserving ?? Effect.void, stored.reserve(...args))
      })
    )
  ).pipe(Layer.provide(Exposures.layer))
  const context = yield* Layer.build(
    SweepIntake.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          flightLimit === undefined ? stores : MemoryFlights.layer(flightLimit).pipe(Layer.provideMerge(stores)),
          Alerts.layer,
          exposed,
          ...(flights === undefined ? [] : [Layer.succeed(BridgeFlights, flights)]),
          overrides,
          Chains.layer([chain, delegated, withoutSetCode, paused, upgraded]),
          Screening.layer(),
          SweepContracts.layer,
          ViemSignatures.layer,
          SecureRandom.layerWebCrypto,
          OrchestratorSettings.layer({
            ...orchestratorDefaults,
            relayer: { ...orchestratorDefaults.relayer, pausedChains: [paused.id] }
          })
        )
      )
    )
  )
  const intents = Context.get(context, Intents)
  for (const quote of QUOTES) yield* intents.create(quote)
  const chains = Context.get(context, Chains.MemoryChains)
  yield* (yield* chains.get(delegated.id)).setCode(OWNER, designator(chain.contracts.delegate))
  const intake = Context.get(context, SweepIntake)
  const authorization = yield* authorize()
  const of = Effect.fnUntraced(function* (quoteIds: ReadonlyArray<string>, changes: Partial<SweepSubmission> = {}) {
    return { quoteIds, signature: yield* sign(quoteIds), authorizations: [authorization], ...changes }
  })
  return {
    authorization,
    chains,
    exposures: Context.get(context, ExposuresPort),
    flights: Context.get(context, BridgeFlights),
    intake,
    intents,
    of,
    screening: Context.get(context, Screening.ScreeningState),
    submit: (quoteIds: ReadonlyArray<string>, changes?: Partial<SweepSubmission>) =>
      Effect.flatMap(of(quoteIds, changes), intake.submit),
    statuses: Effect.map(intents.states(["a", "b", "c"]), (states) => new Set(states.map(({ status }) => status)))
  }
})

export const scene = make()
