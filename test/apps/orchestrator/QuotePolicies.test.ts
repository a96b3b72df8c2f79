/** The layers of fees and risks, as a use case receives them from the adapters of a deployment. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as MemoryPrices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as MemoryRelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as AppFees from "../../../src/apps/orchestrator/Fees.ts"
import * as AppRisk from "../../../src/apps/orchestrator/Risk.ts"
import * as Redis from "../../../src/apps/Redis.ts"
import { Subscriptions, type SubscriptionsShape } from "../../../src/ports/orchestrator/Subscriptions.ts"
import { TokenVerdicts, type TokenVerdictsShape } from "../../../src/ports/orchestrator/TokenVerdicts.ts"
import { address, chain, layer as fakeChain } from "../../support/FakeChain.ts"
import { StubServer } from "../../support/StubServer.ts"

const TOKEN = address(0x71)

class UseCase extends Context.Service<
  UseCase,
  { readonly subscriptions: SubscriptionsShape; readonly verdicts: TokenVerdictsShape }
>()("sweep/test/UseCase") {
  static readonly layer = Layer.effect(UseCase, Effect.all({ subscriptions: Subscriptions, verdicts: TokenVerdicts }))
}

const services = Layer.mergeAll(
  fakeChain({}),
  FetchHttpClient.layer,
  MemoryPrices.layer(),
  MemoryRelayerKeys.layer([address(1)]),
  SecureRandom.layerWebCrypto,
  StubServer.answering(() => ({ status: 200, body: { active: true } })),
  Logger.layer([])
)

const useCase = (subscriptions: AppFees.Options | undefined, risk: AppRisk.Options | undefined) =>
  Effect.map(
    Layer.build(
      UseCase.layer.pipe(
        Layer.provide(
          Layer.mergeAll(AppFees.layer(subscriptions), AppRisk.layer([{ chain }], risk, Redis.answers(undefined)))
        )
      )
    ),
    (context) => Context.get(context, UseCase)
  )

const claim = { userId: "user", subscriptionActive: false }

describe("the adapters of a deployment", () => {
  it.effect("leave requests and token lists to decide where nothing is configured", () =>
    Effect.gen(function* () {
      const { subscriptions, verdicts } = yield* useCase(undefined, undefined)
      assert.isFalse(yield* subscriptions.isActive(claim))
      assert.strictEqual((yield* verdicts.judge({ chainId: chain.id, token: TOKEN }))("tier2"), "tier2")
    }).pipe(Effect.provide(services))
  )

  it.effect("ask the configured endpoint, and follow the operator's rules", () =>
    Effect.gen(function* () {
      const { url } = yield* StubServer
      const { subscriptions, verdicts } = yield* useCase(
        { url, cacheLifetime: 1_000 },
        {
          rules: [
            { chainId: chain.id, token: TOKEN, use: "deny" },
            { chainId: chain.id, token: address(0x72), use: "allow", tier: "tier1" }
          ],
          sources: ["goplus", "honeypot", "probe"],
          goplusApiKey: undefined,
          honeypotApiKey: undefined,
          cacheMillis: 1_000
        }
      )
      assert.isTrue(yield* subscriptions.isActive(claim))
      assert.strictEqual((yield* Effect.flip(verdicts.judge({ chainId: chain.id, token: TOKEN }))).reason, "denied")
      assert.strictEqual((yield* verdicts.judge({ chainId: chain.id, token: address(0x72) }))("tier3"), "tier1")
      // Portfolios read the rules alone.
      assert.strictEqual(verdicts.ruleOf({ chainId: chain.id, token: TOKEN })?.use, "deny")
      assert.strictEqual(verdicts.ruleOf({ chainId: chain.id, token: address(0x72) })?.tier, "tier1")
      assert.isUndefined(verdicts.ruleOf({ chainId: chain.id + 1, token: TOKEN }))
    }).pipe(Effect.provide(services))
  )
})
