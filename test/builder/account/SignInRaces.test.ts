/** A sign-in whose builder moves to another chain meanwhile. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { createSiweMessage } from "viem/siwe"
import * as MemoryStores from "../../../src/adapters/memory/builder/Stores.ts"
import * as SignInMessages from "../../../src/adapters/siwe/SignInMessages.ts"
import { SignIn } from "../../../src/builder/account/SignIn.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Nonces } from "../../../src/ports/builder/Nonces.ts"
import { Sessions } from "../../../src/ports/builder/Sessions.ts"
import { WalletSignatures } from "../../../src/ports/builder/WalletSignatures.ts"
import { account } from "../../support/BuilderAccounts.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const DASHBOARD = "https://dashboard.example.com"
const CHAIN_ID = FakeChain.chain.id

const settings = BuilderSettings.layer({ ...builderDefaults, dashboardOrigins: [DASHBOARD] })

/** Signs in by a contract's signature. `meanwhile` runs after the signature was verified. */
const signIn = Effect.fnUntraced(function* (meanwhile: Effect.Effect<unknown>) {
  const { payoutAddress } = account("ann", 1)
  const created: Array<Hash> = []
  const sessions = yield* Sessions
  const message = createSiweMessage({
    address: payoutAddress,
    domain: new URL(DASHBOARD).host,
    uri: DASHBOARD,
    version: "1",
    chainId: CHAIN_ID,
    nonce: "12345678",
    issuedAt: new Date(0)
  })
  const layer = SignIn.layer.pipe(
    Layer.provide([
      Layer.mock(Nonces)({ isFresh: () => Effect.succeed(true), consume: () => Effect.as(meanwhile, true) }),
      Layer.succeed(Sessions, {
        ...sessions,
        create: (session) =>
          Effect.andThen(
            sessions.create(session),
            Effect.sync(() => created.push(session.tokenHash))
          )
      }),
      Layer.succeed(WalletSignatures, { verify: () => Effect.succeedSome("contract") }),
      FakeChain.layer({}),
      SignInMessages.layer,
      SecureRandom.layerWebCrypto,
      settings
    ])
  )
  const desk = Context.get(yield* Layer.build(layer), SignIn)
  const result = yield* Effect.result(desk.signIn({ message, signature: "0x12" }, Option.none()))
  return { result, created }
})

it.effect("a session for the signature of the former chain does not last", () =>
  Effect.gen(function* () {
    const builders = yield* Builders
    const sessions = yield* Sessions
    yield* builders.create(account("ann", 1, { walletChainId: CHAIN_ID }))
    const move = Effect.orDie(
      builders.modify("ann", (found) => Effect.succeed({ ...found, walletChainId: CHAIN_ID + 1 }))
    )
    const { created, result } = yield* signIn(move)
    assert.isTrue(result._tag === "Failure" && result.failure._tag === "BadSignature", result._tag)
    assert.strictEqual(created.length, 1)
    for (const tokenHash of created) {
      assert.deepStrictEqual(yield* sessions.find(tokenHash), Option.none())
    }
  }).pipe(Effect.provide(Layer.fresh(MemoryStores.layer)))
)

it.effect("a session for the signature of the builder's chain lasts", () =>
  Effect.gen(function* () {
    yield* (yield* Builders).create(account("ann", 1, { walletChainId: CHAIN_ID }))
    const { result } = yield* signIn(Effect.void)
    assert.strictEqual(result._tag, "Success")
  }).pipe(Effect.provide(Layer.fresh(MemoryStores.layer)))
)
