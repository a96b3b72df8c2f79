/** Tokens of a wallet that cannot be quoted, and wallets that are refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import type { QuoteReason } from "../../../src/domain/QuoteReason.ts"
import type { SweepToken } from "../../../src/domain/SweepQuotes.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { NoRoute, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { address } from "../../domain/Arbitraries.ts"
import * as Quoting from "../../support/Quoting.ts"
import { type Scene, make, outcomes, token, wallet } from "./walletScene.ts"

const { DESTINATION, OWNER, STABLE, TOKEN, USD, WHOLE, destination, source } = Quoting

/** Trouble of one token, and the reason that its entry has. */
const TROUBLES: ReadonlyArray<{
  readonly name: string
  readonly reason: QuoteReason
  readonly tokens: ReadonlyArray<SweepToken>
  readonly trouble?: (scene: Scene) => Effect.Effect<unknown, unknown>
}> = [
  { name: "the owner holds less", reason: "insufficient_balance", tokens: [token({ amount: 1_001n * WHOLE })] },
  {
    name: "the owner holds nothing",
    reason: "insufficient_balance",
    tokens: [token({ amount: "max" })],
    trouble: (scene) => Effect.sync(() => void (scene.script.balances = new Map()))
  },
  { name: "the token is the output", reason: "same_token", tokens: [token({ token: STABLE })] },
  { name: "the chain is not served", reason: "unsupported_chain", tokens: [token({ chainId: 99 })] },
  {
    name: "the network fee is above its maximum",
    reason: "network_fee_above_maximum",
    tokens: [token({ maxNetworkFee: 1n })]
  },
  { name: "fees eat the amount up", reason: "fees_exceed_amount", tokens: [token({ amount: 1n })] },
  { name: "the token is declined", reason: "unavailable", tokens: [token({ token: address(0xdead_0001n) })] },
  {
    name: "there is no route",
    reason: "no_route",
    tokens: [token()],
    trouble: ({ script }) => Effect.sync(() => void (script.routingFails = new NoRoute({ detail: "no pool" })))
  },
  {
    name: "the venue does not answer",
    reason: "busy",
    tokens: [token()],
    trouble: ({ script }) =>
      Effect.sync(() => void (script.routingFails = new RoutingUnavailable({ provider: "venue", detail: "down" })))
  },
  {
    name: "the order would revert",
    reason: "would_revert",
    tokens: [token()],
    trouble: ({ script }) => Effect.sync(() => void (script.simulationFails = new SimulationFailed({ detail: "no" })))
  },
  {
    name: "the node does not answer",
    reason: "chain_unavailable",
    tokens: [token()],
    trouble: ({ script }) =>
      Effect.sync(
        () =>
          void (script.simulationFails = new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "no answer" }))
      )
  },
  {
    name: "the token has no price",
    reason: "no_price",
    tokens: [token()],
    trouble: ({ prices }) =>
      Ref.set(prices, { prices: new Map([[source.id, new Map([[NATIVE, USD]])]]), available: true })
  },
  {
    name: "the database does not answer",
    reason: "busy",
    tokens: [token()],
    trouble: ({ script }) => Effect.sync(() => void (script.storeAvailable = false))
  },
  {
    name: "the owner is a contract",
    reason: "owner_is_a_contract",
    tokens: [token()],
    trouble: (scene) => Effect.flatMap(scene.chain(source.id), (chain) => chain.setCode(OWNER, "0x60"))
  }
]

describe("a token without a quote", () => {
  for (const { name, reason, tokens, trouble } of TROUBLES) {
    it.effect(`has the reason ${reason} when ${name}`, () =>
      Effect.gen(function* () {
        const scene = yield* make()
        if (trouble !== undefined) yield* trouble(scene)
        const offer = yield* scene.service.quoteAll(wallet(tokens))
        assert.deepStrictEqual(outcomes(offer), [reason])
        assert.isUndefined(offer.signing)
        const { chainId, token: swept } = tokens[0]!
        assert.deepStrictEqual(offer.quotes, [{ chainId, token: swept, reason }])
      })
    )
  }

  it.effect("has the reason chain_unavailable on a paused chain", () =>
    Effect.gen(function* () {
      const scene = yield* make({
        settings: { relayer: { ...defaults.relayer, pausedChains: [destination.id] } }
      })
      const offer = yield* scene.service.quoteAll(wallet([token({ chainId: destination.id }), token()]))
      assert.deepStrictEqual(outcomes(offer), ["chain_unavailable", "quoted"])
    })
  )

  it.effect("is one whose chain cannot be screened", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      scene.script.unscreened = new Set([destination.id])
      const offer = yield* Effect.forkChild(
        scene.service.quoteAll(wallet([token({ chainId: destination.id }), token()]))
      )
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(outcomes(yield* Fiber.join(offer)), ["screening_unavailable", "quoted"])
    })
  )

  it.effect("is one that is not quoted in time", () =>
    Effect.gen(function* () {
      const slow = (client: ChainClient): ChainClient =>
        client.chain.id === destination.id ? { ...client, block: () => Effect.never } : client
      const scene = yield* make({ nodes: slow })
      const offer = yield* Effect.forkChild(
        scene.service.quoteAll(wallet([token({ chainId: destination.id }), token()]))
      )
      yield* TestClock.adjust("3500 millis")
      assert.deepStrictEqual(outcomes(yield* Fiber.join(offer)), ["busy", "quoted"])
    })
  )

  it.effect("is one that fails unexpectedly", () =>
    Effect.gen(function* () {
      const broken = (client: ChainClient): ChainClient =>
        client.chain.id === destination.id ? { ...client, block: () => Effect.die("a defect") } : client
      const scene = yield* make({ nodes: broken })
      const offer = yield* scene.service.quoteAll(wallet([token({ chainId: destination.id }), token()]))
      assert.deepStrictEqual(outcomes(offer), ["busy", "quoted"])
    })
  )

  const TOKENS = 6
  /** Tokens on the list of the chain. */
  const listed = Array.from({ length: TOKENS }, (_, index) => ({
    chainId: source.id,
    address: address(0xcc_0000n + BigInt(index)),
    symbol: `T${index}`,
    name: `Token ${index}`,
    decimals: 18
  }))

  it.effect.prop(
    "changes no other entry, and none of the totals of the others",
    [Schema.Array(Schema.Boolean).check(Schema.isMinLength(1), Schema.isMaxLength(TOKENS))],
    ([isDeclined]) =>
      Effect.gen(function* () {
        const scene = yield* make({ chains: [{ ...source, tokens: listed }, destination] })
        const known = listed.slice(0, isDeclined.length).map((each, index) => ({
          ...each,
          tier: "tier2" as const,
          ...(isDeclined[index] === true ? { declined: "transfer_taxed" as const } : {})
        }))
        yield* Ref.update(scene.tokenRisk, (state) => ({ ...state, tokens: [...state.tokens, ...known] }))
        yield* Ref.update(scene.prices, (state) => ({
          ...state,
          prices: new Map([
            [
              source.id,
              new Map([...(state.prices.get(source.id) ?? []), ...known.map((each) => [each.address, USD] as const)])
            ]
          ])
        }))
        const tokens = known.map((each) => token({ token: each.address }))
        const offer = yield* scene.service.quoteAll(wallet(tokens))
        assert.deepStrictEqual(
          outcomes(offer),
          isDeclined.map((declined) => (declined ? "unavailable" : "quoted"))
        )
        const well = tokens.filter((_, index) => isDeclined[index] !== true)
        if (well.length === 0) return assert.isUndefined(offer.signing)
        assert.deepStrictEqual(
          offer.signing?.typedData.message.legs.map(({ order }) => order.tokenIn),
          well.map((each) => each.token)
        )
        assert.deepStrictEqual(offer.totals, (yield* scene.service.quoteAll(wallet(well))).totals)
      }),
    { arbitrary: { runs: 20 } }
  )
})

describe("the nonces of a wallet", () => {
  it.effect("are issued on a chain only if one of its tokens can be offered, since anybody can name an owner", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const next = (chainId: number) => scene.intents.nextOrderNonce(chainId, OWNER, 0n)
      scene.script.balances = new Map([[destination.id, 1_000n * WHOLE]])
      yield* (yield* scene.chain(source.id)).setBalance(OWNER, 0n)
      const declined = token({ token: address(0xdead_0002n) })
      const tokens = [token(), token({ amount: "max", token: NATIVE }), token({ chainId: destination.id }), declined]
      const offer = yield* scene.service.quoteAll(wallet(tokens))
      assert.strictEqual(outcomes(offer)[2], "quoted")
      assert.strictEqual(yield* next(source.id), 0n)
      assert.strictEqual(yield* next(destination.id), 1n)
      // A balance that the token alone claims is not enough.
      scene.script.balances = new Map([[source.id, 1_000n * WHOLE]])
      assert.notInclude(outcomes(yield* scene.service.quoteAll(wallet([declined]))), "quoted")
      assert.strictEqual(yield* next(source.id), 1n)
    })
  )
})

describe("a wallet is refused", () => {
  it.effect("if an address is listed, whatever else can be quoted", () =>
    Effect.gen(function* () {
      for (const listed of [OWNER, DESTINATION]) {
        const scene = yield* make()
        scene.script.listed = new Set([listed])
        const refused = yield* Effect.flip(
          scene.service.quoteAll(wallet([token({ chainId: 99 }), token(), token({ chainId: destination.id })]))
        )
        assert.strictEqual(refused._tag, "ScreeningBlocked")
        assert.lengthOf(scene.asked.simulated, 0)
        assert.strictEqual(yield* scene.intents.nextOrderNonce(source.id, OWNER, 0n), 0n)
        // A token that has another reason does not hide it.
        const alone = yield* Effect.flip(scene.service.quoteAll(wallet([token({ token: STABLE })])))
        assert.strictEqual(alone._tag, "ScreeningBlocked")
      }
    })
  )

  it.effect("if its destination would burn the output", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      for (const burning of [STABLE, TOKEN, source.contracts.guard, source.contracts.delegate, address(0x11n)]) {
        const refused = yield* Effect.flip(scene.service.quoteAll(wallet([token()], { destination: burning })))
        assert.strictEqual(refused._tag, "RequestRefused")
      }
      assert.lengthOf(scene.asked.screened, 0)
    })
  )
})
