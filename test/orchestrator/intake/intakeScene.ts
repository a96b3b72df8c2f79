/** The intake over ports that a test writes by hand. */
import { Context, Effect, Layer, Option, Ref } from "effect"
import { SecureRandom } from "effect/crypto"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as ViemSignatures from "../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as BridgeFlights from "../../../src/adapters/memory/orchestrator/BridgeFlights.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Screening from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Authorization } from "../../../src/domain/Delegation.ts"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import { digest, type SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { Intake } from "../../../src/orchestrator/intake/Intake.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { BridgeFlights as BridgeFlightsPort } from "../../../src/ports/orchestrator/BridgeFlights.ts"
import { Exposures as ExposuresPort } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents as IntentsPort } from "../../../src/ports/orchestrator/Intents.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { address, chain as template } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { overrides } from "../../support/Overrides.ts"

export const chain = { ...template, id: 1, name: "source" }

export const withoutSetCode = { ...template, id: 2, name: "old", supportsSetCode: false }

/** Its contracts were upgraded from these. */
export const EARLIER = { delegate: address(0x41), guard: address(0x42), entry: address(0x43) }

export const upgraded = { ...template, id: 4, name: "upgraded", earlierContracts: [EARLIER] }

export const paused = { ...template, id: 3, name: "paused" }

export const owner = privateKeyToAccount(generatePrivateKey())

export const OWNER = Address.of(owner.address)

export const DESTINATION = address(0x12)

export const ID = "quote"

/** When the quotes of `newIntent` expire, in milliseconds. */
export const EXPIRY = 120_000

export const authorize = (
  changes: Partial<Pick<Authorization, "address" | "chainId" | "nonce">> = {},
  account = owner
): Effect.Effect<Authorization> =>
  Effect.promise(async () => {
    const named = { address: chain.contracts.delegate, chainId: chain.id, nonce: 0n, ...changes }
    const { r, s, yParity } = await account.signAuthorization({ ...named, nonce: Number(named.nonce) })
    return { ...named, r, s, yParity: yParity === 1 ? 1 : 0 }
  })

/** Exposures whose releases follow `releasing`. */
const exposed = (releasing: Effect.Effect<void> = Effect.void) =>
  Layer.effect(
    ExposuresPort,
    Effect.map(ExposuresPort, (stored) =>
      ExposuresPort.of({
        ...stored,
        releaseQuoted: (...args) => Effect.andThen(releasing, stored.releaseQuoted(...args))
      })
    )
  ).pipe(Layer.provide(Exposures.layer))

const pausing = OrchestratorSettings.layer({
  ...orchestratorDefaults,
  relayer: { ...orchestratorDefaults.relayer, pausedChains: [paused.id] }
})

/** Limit of each bridge on trust, in US dollars scaled by 10^18. */
export const FLIGHT_LIMIT = 100n * 10n ** 18n

/** Changes a quote to one of 40 US dollars over a bridge on trust. */
export const ON_TRUST = {
  crossChain: true,
  provider: "relay",
  estimatedAmountOutUsd: "40",
  priceImpactBps: 0
} as const

export interface Settings {
  readonly chainId?: number
  readonly builder?: Address.Address
  readonly cover?: FeeCover
  /** Changes of the order. */
  readonly order?: Partial<SweepOrder>
  readonly nonce?: bigint
  /** Precedes the storing of a submission. */
  readonly storing?: Effect.Effect<void, StoreUnavailable>
  /** The quote is over a bridge on trust. */
  readonly isOnTrust?: boolean
  /** Precedes the release of reservations. */
  readonly releasing?: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (settings: Settings = {}) {
  const chainId = settings.chainId ?? chain.id
  const down = yield* Ref.make(false)
  /** The store, with a switch. */
  const stores = Layer.effect(
    IntentsPort,
    Effect.map(IntentsPort, (stored) => {
      const available = <A, E>(operation: string, effect: Effect.Effect<A, E>) =>
        Effect.flatMap(Ref.get(down), (isDown): Effect.Effect<A, E | StoreUnavailable> =>
          isDown ? Effect.fail(new StoreUnavailable({ operation, detail: "turned off" })) : effect
        )
      return IntentsPort.of({
        ...stored,
        find: (id) => available("find", stored.find(id)),
        submit: (...args) =>
          Effect.andThen(settings.storing ?? Effect.void, available("submit", stored.submit(...args)))
      })
    })
  ).pipe(Layer.provide(Intents.layer))
  const context = yield* Layer.build(
    Intake.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          BridgeFlights.layer(FLIGHT_LIMIT).pipe(Layer.provideMerge(stores)),
          SecureRandom.layerWebCrypto,
          Alerts.layer,
          exposed(settings.releasing),
          overrides,
          Chains.layer([chain, withoutSetCode, paused, upgraded]),
          Screening.layer(),
          SweepContracts.layer,
          ViemSignatures.layer,
          pausing
        )
      )
    )
  )
  const intents = Context.get(context, IntentsPort)
  const template_ = newIntent({ id: ID, chainId })
  const order: SweepOrder = {
    ...template_.order,
    owner: OWNER,
    destination: DESTINATION,
    builder: settings.builder ?? Address.zero,
    ...(settings.nonce === undefined ? {} : { nonce: settings.nonce }),
    ...settings.order
  }
  const orderDigest = digest(order, { name: "Service", chainId })
  const quote = settings.isOnTrust ? { ...template_.quote, ...ON_TRUST } : template_.quote
  yield* intents.create({
    ...template_,
    quote,
    order,
    orderDigest,
    ...(settings.cover && { cover: settings.cover })
  })
  const intake = Context.get(context, Intake)
  const signature = yield* Effect.promise(() => owner.sign({ hash: orderDigest }))
  const authorization = yield* authorize()
  return {
    down,
    chain: yield* Context.get(context, Chains.MemoryChains).get(chain.id),
    upgraded: yield* Context.get(context, Chains.MemoryChains).get(upgraded.id),
    intents,
    exposures: Context.get(context, ExposuresPort),
    flights: Context.get(context, BridgeFlightsPort),
    order,
    orderDigest,
    signature,
    screening: Context.get(context, Screening.ScreeningState),
    submit: (changes: Partial<Parameters<typeof intake.submit>[0]> = {}) =>
      intake.submit({ quoteId: ID, signature, authorization, ...changes }),
    status: Effect.map(intents.find(ID), (found) => Option.getOrThrow(found).status),
    waitingFor: Effect.map(intents.states([ID]), ([state]) => state?.waitingFor)
  }
})
