import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256, stringToHex } from "viem"
import * as WalletSignatures from "../../../src/adapters/siwe/WalletSignatures.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { CallReverted, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { CHAIN_ID, sign, stranger, verify, walletSignaturesSuite } from "../../ports/builder/WalletSignatures.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"

walletSignaturesSuite("the validator of ERC-6492", WalletSignatures.layerWith({ timeout: "30 seconds" }))

describe("signatures without a chain", () => {
  const without = WalletSignatures.layer.pipe(Layer.provide(FakeChain.layer({})))

  it.effect("an account's own key needs none", () =>
    Effect.gen(function* () {
      const account = stranger()
      assert.strictEqual(yield* verify(account.address, yield* sign(account)), "key")
      assert.strictEqual(yield* verify(account.address, yield* sign(account), { chainId: 1 }), "key")
      assert.isUndefined(yield* verify(account.address, `0x${"12".repeat(20_000)}`), "too long to be looked at")
    }).pipe(Effect.provide(without))
  )

  const answering = (answer: Effect.Effect<Hex, CallReverted | ChainUnavailable>, timeout: number) =>
    WalletSignatures.layerWith({ timeout }).pipe(Layer.provide(FakeChain.layer({ call: () => answer })))

  const ask = (answer: Effect.Effect<Hex, CallReverted | ChainUnavailable>, timeout = 60_000) =>
    verify(stranger().address, "0x12").pipe(Effect.provide(answering(answer, timeout)))

  it.live("only a clear yes counts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* ask(Effect.succeed("0x01")), "contract")
      const answers: ReadonlyArray<Hex> = ["0x", "0x00", "0x02", keccak256(stringToHex("x")), `0x${"00".repeat(31)}01`]
      for (const answer of answers) assert.isUndefined(yield* ask(Effect.succeed(answer)))
      const reverted = new CallReverted({ chainId: CHAIN_ID, data: "0x", detail: "no" })
      assert.isUndefined(yield* ask(Effect.fail(reverted)))
    })
  )

  it.live("a node that is silent or away is no answer", () =>
    Effect.gen(function* () {
      const away = new ChainUnavailable({ chainId: CHAIN_ID, method: "eth_call", detail: "away" })
      for (const answer of [Effect.never, Effect.fail(away)]) {
        const failure = yield* Effect.flip(ask(answer, 100))
        assert.strictEqual(failure._tag, "ChainUnavailable")
      }
    })
  )
})
