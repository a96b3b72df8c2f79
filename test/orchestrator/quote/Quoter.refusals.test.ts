/** Requests that get no quote, each with its reason. Nothing is stored or offered for them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { MOST_RUNNING } from "../../../src/domain/FairTurns.ts"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { FeeUncertain } from "../../../src/ports/orchestrator/FeeValue.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { NoRoute, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { TokenDeclined } from "../../../src/ports/orchestrator/TokenRisk.ts"
import * as Quoting from "../../support/Quoting.ts"

const { OWNER, STABLE, TOKEN, WHOLE, destination, source } = Quoting

type Scene = Effect.Success<ReturnType<typeof Quoting.make>>

interface Case {
  readonly reason: QuoteFailed["reason"]
  readonly options?: Quoting.Options
  readonly trouble?: (scene: Scene) => Effect.Effect<unknown, unknown>
  readonly request?: Partial<QuoteRequest>
}

const script = (change: (script: Quoting.Script) => void) => (scene: Scene) =>
  Effect.sync(() => {
    change(scene.script)
  })

const unavailable = new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "down" })

/** The chains, without the token on the list of the source. */
const unlisted = [{ ...source, tokens: source.tokens.filter(({ address }) => address !== TOKEN) }, destination]

const cases: Readonly<Record<string, Case>> = {
  "a destination chain that is not configured": {
    reason: "unsupported_chain",
    request: { destChainId: 99, route: "" }
  },
  "a source chain that is not configured": { reason: "unsupported_chain", request: { sourceChainId: 99, route: "" } },
  "a source chain without EIP-7702": {
    reason: "unsupported_chain",
    options: { chains: [{ ...source, supportsSetCode: false }, destination] }
  },
  "a paused source chain": {
    reason: "chain_paused",
    options: { settings: { relayer: { ...orchestratorDefaults.relayer, pausedChains: [source.id] } } }
  },
  "native input on a chain without EIP-7702": {
    reason: "unsupported_chain",
    options: { chains: [{ ...source, supportsSetCode: false }, destination] },
    request: { tokenIn: NATIVE }
  },
  "a token that nobody knows the chain of": {
    reason: "unsupported_chain",
    request: { route: "", tokenIn: Quoting.PAYOUT }
  },
  "the same token on the same chain": { reason: "same_token", request: { tokenOut: TOKEN } },
  "native currency for itself": { reason: "same_token", request: { tokenIn: NATIVE, tokenOut: NATIVE } },
  "an owner that is a contract": {
    reason: "owner_is_a_contract",
    trouble: (scene) => Effect.flatMap(scene.chain(source.id), (chain) => chain.setCode(OWNER, "0x6001"))
  },
  "a token that the risk screen declines": {
    reason: "token_declined",
    trouble: (scene) => Ref.set(scene.tokenRisk, { tokens: [], available: true })
  },
  "a node that does not answer the risk screen": {
    reason: "chain_unavailable",
    trouble: (scene) => Ref.update(scene.tokenRisk, (state) => ({ ...state, available: false }))
  },
  "an amount that fees eat up": { reason: "fees_exceed_input", request: { amountIn: WHOLE } },
  "a network fee above the maximum of the request": {
    reason: "network_fee_above_maximum",
    request: { maxNetworkFee: 0n }
  },
  "no amount at all": { reason: "fees_exceed_input", request: { amountIn: 0n } },
  "a markup that eats the amount up": {
    reason: "fees_exceed_input",
    trouble: (scene) => scene.attributes({ builderBps: 10_000, maxBuilderBps: 10_000 }),
    request: { apiKey: Quoting.KEY }
  },
  "no route": {
    reason: "no_route",
    trouble: script((state) => {
      state.routingFails = new NoRoute({ detail: "no pool" })
    })
  },
  "no route across chains": {
    reason: "no_route",
    trouble: script((state) => {
      state.routingFails = new NoRoute({ detail: "no pool" })
    }),
    request: Quoting.crossChain
  },
  "a venue that does not answer": {
    reason: "upstream_unavailable",
    trouble: script((state) => {
      state.routingFails = new RoutingUnavailable({ provider: "venue", detail: "down" })
    })
  },
  "a token without a price": {
    reason: "no_price",
    trouble: (scene) =>
      Ref.set(scene.prices, { prices: new Map([[source.id, new Map([[NATIVE, 1n]])]]), available: true })
  },
  "a currency without a price": {
    reason: "no_price",
    trouble: (scene) =>
      Ref.set(scene.prices, { prices: new Map([[source.id, new Map([[TOKEN, 1n]])]]), available: true })
  },
  "a price of nothing": {
    reason: "no_price",
    trouble: (scene) =>
      Ref.set(scene.prices, {
        prices: new Map([
          [
            source.id,
            new Map([
              [TOKEN, 0n],
              [NATIVE, 1n]
            ])
          ]
        ]),
        available: true
      })
  },
  "prices that are unavailable": {
    reason: "upstream_unavailable",
    trouble: (scene) => Ref.update(scene.prices, (state) => ({ ...state, available: false }))
  },
  "an unlisted token whose sweep needs more gas than UNLISTED_SWEEP_GAS": {
    reason: "simulation_failed",
    options: { chains: unlisted },
    trouble: script((state) => {
      state.gas = () => 600_000n
    })
  },
  "an unlisted token whose fee may pay for the gas on exchanges that do not answer": {
    reason: "chain_unavailable",
    options: {
      chains: unlisted,
      fees: { realisable: () => Effect.fail(new FeeUncertain({ atLeast: 1n, silence: unavailable })) }
    }
  },
  "a route that does not fit into a transaction": {
    reason: "no_route",
    trouble: script((state) => {
      state.calldataBytes = 124_001
    })
  },
  "an order that would revert": {
    reason: "simulation_failed",
    trouble: script((state) => {
      state.simulationFails = new SimulationFailed({ detail: "NonceUsed" })
    })
  },
  "a node that does not simulate": {
    reason: "chain_unavailable",
    trouble: script((state) => {
      state.simulationFails = unavailable
    })
  },
  "a node that does not say what it charges": {
    reason: "chain_unavailable",
    trouble: (scene) => Effect.flatMap(scene.chain(source.id), (chain) => chain.fail("feesPerGas"))
  },
  "a chain whose base fee is above the operator's limit": {
    reason: "fee_limit",
    trouble: (scene) =>
      Effect.flatMap(scene.chain(source.id), (chain) =>
        chain.setFees({ baseFeePerGas: 10n, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n })
      )
  },
  "a node that cannot say where the token is": {
    reason: "chain_unavailable",
    trouble: (scene) => Effect.flatMap(scene.chain(destination.id), (chain) => chain.fail("code")),
    request: { route: "" }
  },
  "a store that is down": {
    reason: "store_unavailable",
    trouble: script((state) => {
      state.storeAvailable = false
    })
  }
}

describe("there is no quote for", () => {
  it.effect.each(Object.entries(cases))("%s", ([, { options, reason, request, trouble }]) =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make(options)
      if (trouble !== undefined) yield* Effect.orDie(trouble(scene))
      const failed = yield* Effect.flip(scene.quote(request))
      assert.strictEqual(failed._tag, "QuoteFailed", failed.message)
      if (failed._tag === "QuoteFailed") assert.strictEqual(failed.reason, reason, failed.message)
      assert.deepStrictEqual(scene.asked.created, [])
    })
  )

  it.effect("a chain whose base fee is above the limit, for as long as the base fee needs to fall", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const chain = yield* scene.chain(source.id)
      const pauseAt = Effect.fnUntraced(function* (baseFeePerGas: bigint) {
        yield* chain.setFees({ baseFeePerGas, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1n })
        const failed = yield* Effect.flip(scene.quote())
        return failed._tag === "QuoteFailed" ? failed.retryAfterMillis : undefined
      })
      assert.strictEqual(yield* pauseAt(1_001n), source.blockTimeMillis)
      assert.strictEqual(yield* pauseAt(1_300n), 2 * source.blockTimeMillis)
      assert.strictEqual(yield* pauseAt(10n ** 30n), 60_000)
    })
  )

  it.effect("a store that goes down at the last moment: what is not stored is not offered", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = () => {
        scene.script.storeAvailable = false
        return 225_000n
      }
      const failed = yield* Effect.flip(scene.quote())
      assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "store_unavailable")
    })
  )

  it.effect("each reason that the token's screen has", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      for (const declined of TokenDeclined.fields.reason.literals) {
        yield* Ref.set(scene.tokenRisk, {
          tokens: [{ chainId: 1, address: TOKEN, tier: "tier2", symbol: "LST", decimals: 18, declined }],
          available: true
        })
        const failed = yield* Effect.flip(scene.quote())
        assert.strictEqual(
          failed._tag === "QuoteFailed" ? failed.reason : failed._tag,
          declined === "insufficient_balance" ? declined : "token_declined"
        )
        assert.include(failed.message, declined)
      }
    })
  )

  it.effect("more requests at once than the process runs, once they have waited", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({ nodes: (client) => ({ ...client, transactionCount: () => Effect.never }) })
      yield* Effect.forEach(
        Array.from({ length: MOST_RUNNING }),
        () => Effect.forkChild(scene.quote(), { startImmediately: true }),
        { discard: true }
      )
      const waiting = yield* Effect.forkChild(Effect.flip(scene.quote()), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      assert.isDefined(waiting.pollUnsafe())
      const failed = yield* Fiber.join(waiting)
      assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "too_busy")
    })
  )
})

describe("a request is refused before anything is asked", () => {
  it.effect.each([
    ["a destination that is the token to receive", { destination: STABLE }],
    ["a destination that is the token to sweep", { destination: TOKEN }],
    ["a destination that is the delegate", { destination: source.contracts.delegate }],
    ["a destination that is the guard", { destination: source.contracts.guard }]
  ] as const)("with %s", ([, request]) =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const refused = yield* Effect.flip(scene.quote(request))
      assert.strictEqual(refused._tag, "RequestRefused")
      assert.match(refused.message, /^destination: expected an account that can spend the token/)
      assert.deepStrictEqual(scene.asked.order, [])
    })
  )

  it.effect("with every problem that it has", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const refused = yield* Effect.flip(scene.quote({ destination: STABLE, route: "source->destination" }))
      assert.strictEqual(
        refused.message,
        "destination: expected an account that can spend the token, not a token or a contract of the service; " +
          "route: the destination is chain 2, and destChainId is 1"
      )
      assert.deepStrictEqual(scene.asked.order, [])
    })
  )
})
