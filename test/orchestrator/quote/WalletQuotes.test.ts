/** Quotes of a wallet: what the owner signs for all tokens. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import * as Fees from "../../../src/domain/Fees.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import * as SweepBatch from "../../../src/domain/SweepBatch.ts"
import { totals } from "../../../src/domain/SweepTotals.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../domain/Arbitraries.ts"
import * as Quoting from "../../support/Quoting.ts"
import { AMOUNT, make, offered, outcomes, token, wallet } from "./walletScene.ts"

const { DESTINATION, OWNER, TOKEN, USD, WHOLE, destination, source } = Quoting

describe("quotes of a wallet", () => {
  it.effect("are one for each token, in its place, with what the owner signs for all chains", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      yield* (yield* scene.chain(source.id)).setTransactionCount(OWNER, 4n, 6n)
      const request = wallet([
        token({ chainId: destination.id }),
        token({ token: NATIVE, amount: "max" }),
        token({ tier: "tier3" })
      ])
      const offer = yield* scene.service.quoteAll(request)
      const made = offered(offer)
      assert.deepStrictEqual(outcomes(offer), ["quoted", "quoted", "quoted"])
      assert.deepStrictEqual(
        made.map(({ order, quote }) => [quote.sourceChainId, order.tokenIn, order.amountIn, quote.crossChain]),
        [
          [destination.id, TOKEN, AMOUNT, true],
          [source.id, NATIVE, 5n * WHOLE, false],
          [source.id, TOKEN, AMOUNT, false]
        ]
      )
      for (const { order, quote } of made) {
        assert.strictEqual(quote.expiresAtMs, offer.expiresAtMs)
        const stored = Option.getOrThrow(yield* scene.intents.find(quote.id))
        assert.deepStrictEqual([stored.status, stored.order, stored.userId], ["quoted", order, "user"])
      }
      const [first, ...others] = made.map(({ order, quote }) => ({ chainId: quote.sourceChainId, order }))
      assert.isDefined(first)
      assert.deepStrictEqual(offer.signing, {
        typedData: SweepBatch.typedData([first, ...others], defaults.domainName),
        authorizations: [
          { address: destination.contracts.delegate, chainId: destination.id, nonce: 0n },
          { address: source.contracts.delegate, chainId: source.id, nonce: 6n }
        ]
      })
    })
  )

  it.effect("total what arrives and each fee", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const offer = yield* scene.service.quoteAll(
        wallet([token({ tier: "tier3" }), token({ token: NATIVE, amount: WHOLE })], { apiKey: Quoting.KEY })
      )
      const expected = offered(offer).map(({ order, quote }, index) => {
        const tier = index === 0 ? "tier3" : "tier1"
        const protocol = Fees.protocolFee(defaults.fees, { amountIn: order.amountIn, tier, subscriptionActive: false })
        return {
          minAmountOut: quote.minAmountOut,
          estimatedAmountOut: quote.estimatedAmountOut,
          fees: { protocol, network: order.feeAmount - protocol, builder: Fees.builderFee(order.amountIn, 30) },
          tokenIn: { usd: index === 0 ? USD : Quoting.NATIVE_USD, decimals: 18 }
        }
      })
      assert.lengthOf(expected, 2)
      assert.deepStrictEqual(offer.totals, totals(expected, { usd: USD, decimals: 6 }))
    })
  )

  it.effect("need no authorization where the account runs the delegate", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      yield* (yield* scene.chain(source.id)).setCode(OWNER, designator(source.contracts.delegate))
      const offer = yield* scene.service.quoteAll(wallet([token(), token({ chainId: destination.id })]))
      assert.deepStrictEqual(
        offer.signing?.authorizations.map(({ chainId }) => chainId),
        [destination.id]
      )
    })
  )

  it.effect("share the screening of a chain and the reads of the account", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const counted = (client: ChainClient): ChainClient => ({
        ...client,
        code: (account) =>
          Effect.andThen(
            Effect.sync(() => asked.push(`code ${client.chain.id}`)),
            client.code(account)
          ),
        transactionCount: (account, block) =>
          Effect.andThen(
            Effect.sync(() => asked.push(`nonce ${client.chain.id}`)),
            client.transactionCount(account, block)
          )
      })
      const scene = yield* make({ nodes: counted })
      yield* scene.service.quoteAll(
        wallet(
          [token(), token({ token: NATIVE }), token({ chainId: destination.id })].map((each) => ({
            ...each,
            amount: WHOLE
          }))
        )
      )
      assert.deepStrictEqual(asked.toSorted(), ["code 1", "code 2", "nonce 1", "nonce 2"])
      assert.deepStrictEqual(
        scene.asked.screened.toSorted((a, b) => a.chainId - b.chainId),
        [source, destination].map(({ id }) => ({ chainId: id, addresses: [OWNER, DESTINATION] }))
      )
    })
  )

  it.effect("have nonces that were issued together, in the order of the tokens", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const declined = token({ token: address(0xdead_0001n) })
      const offer = yield* scene.service.quoteAll(
        wallet([token(), declined, token({ chainId: destination.id }), token({ token: NATIVE, amount: WHOLE })])
      )
      assert.deepStrictEqual(
        offered(offer).map(({ order }) => order.nonce),
        [bound(source.contracts.guard, 0n), bound(destination.contracts.guard, 0n), bound(source.contracts.guard, 2n)]
      )
    })
  )

  it.effect("use the slippage tolerance of the request", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      yield* scene.service.quoteAll(wallet([token()], { slippageBps: 7 }))
      yield* scene.service.quoteAll(wallet([token()]))
      assert.deepStrictEqual(
        scene.asked.swaps.map(({ slippageBps }) => slippageBps),
        [7, 50]
      )
    })
  )
})
