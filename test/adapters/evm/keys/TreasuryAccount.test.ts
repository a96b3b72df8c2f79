import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as RawKey from "../../../../src/adapters/evm/keys/RawKey.ts"
import * as TreasuryAccount from "../../../../src/adapters/evm/keys/TreasuryAccount.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { TreasuryKey } from "../../../../src/ports/orchestrator/TreasuryKey.ts"
import { treasuryKeySuite } from "../../../ports/orchestrator/TreasuryKey.suite.ts"

const key = generatePrivateKey()

treasuryKeySuite("a private key in this process", {
  layer: TreasuryAccount.layer(RawKey.account(Redacted.make(key))),
  account: Address.of(privateKeyToAccount(key).address)
})

it.effect("refuses what is no private key, and does not quote it", () =>
  Effect.gen(function* () {
    const wrong: ReadonlyArray<Hex> = ["0x5ec4e7", `0x${"ff".repeat(32)}`, `0x${"00".repeat(32)}`]
    for (const each of wrong) {
      const refused = yield* Effect.flip(
        Effect.scoped(Layer.build(TreasuryAccount.layer(RawKey.account(Redacted.make(each)))))
      )
      assert.strictEqual(refused._tag, "TreasuryKeyUnusable")
      assert.notInclude(JSON.stringify({ ...refused, message: refused.message }), each.slice(2))
    }
  })
)

it.effect("can be absent", () =>
  Effect.gen(function* () {
    assert.isTrue(Option.isNone(yield* TreasuryKey))
  }).pipe(Effect.provide(TreasuryAccount.none))
)
