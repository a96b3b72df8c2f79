import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as RawKey from "../../../../src/adapters/evm/keys/RawKey.ts"
import * as VaultAccount from "../../../../src/adapters/evm/keys/VaultAccount.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { vaultKeySuite } from "../../../ports/builder/VaultKey.suite.ts"

const key = generatePrivateKey()

vaultKeySuite("a private key in this process", {
  layer: VaultAccount.layer(RawKey.account(Redacted.make(key))),
  vault: Address.of(privateKeyToAccount(key).address)
})

it.effect("refuses what is no private key, and does not quote it", () =>
  Effect.gen(function* () {
    const wrong: ReadonlyArray<Hex> = ["0x5ec4e7", `0x${"ff".repeat(32)}`, `0x${"00".repeat(32)}`]
    for (const each of wrong) {
      const refused = yield* Effect.flip(
        Effect.scoped(Layer.build(VaultAccount.layer(RawKey.account(Redacted.make(each)))))
      )
      assert.strictEqual(refused._tag, "VaultKeyUnusable")
      assert.notInclude(JSON.stringify({ ...refused, message: refused.message }), each.slice(2))
    }
  })
)
