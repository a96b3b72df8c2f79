/** Contract of every {@link TreasuryKey} with a key. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { recoverTypedDataAddress } from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import * as ViemSignatures from "../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as Address from "../../../src/domain/Address.ts"
import { typedData } from "../../../src/domain/SweepOrder.ts"
import { TreasuryKey } from "../../../src/ports/orchestrator/TreasuryKey.ts"
import { address, newIntent } from "../../support/IntentFixtures.ts"

export interface TreasuryKeyHarness {
  readonly layer: Layer.Layer<TreasuryKey, unknown>
  /** Account of the key that the layer was given. */
  readonly account: Address.Address
}

const signer = Effect.flatMap(TreasuryKey, Effect.fromOption)

export const treasuryKeySuite = (name: string, { account, layer: environment }: TreasuryKeyHarness): void =>
  layer(environment)(`TreasuryKey by ${name}`, (it) => {
    const order = typedData(newIntent({ id: "a" }).order, { name: "Service", chainId: 8453 })

    it.effect("signs orders as its account", () =>
      Effect.gen(function* () {
        const { address: own, signOrder } = yield* signer
        assert.strictEqual(own, account)
        const signature = yield* signOrder(order)
        assert.isTrue(Option.exists(ViemSignatures.parse(signature), ViemSignatures.hasLowS))
        const recovered = yield* Effect.promise(() => recoverTypedDataAddress({ ...order, signature }))
        assert.strictEqual(Address.of(recovered), account)
      })
    )

    it.effect("signs authorizations as its account", () =>
      Effect.gen(function* () {
        const { signAuthorization } = yield* signer
        for (const nonce of [0n, 1n, 77n]) {
          const request = { address: address(0xde1e), chainId: 8453, nonce }
          const authorization = yield* signAuthorization(request)
          assert.deepInclude(authorization, request)
          assert.isTrue(ViemSignatures.hasLowS(authorization))
          const recovered = yield* Effect.promise(() =>
            recoverAuthorizationAddress({ authorization: { ...authorization, nonce: Number(nonce) } })
          )
          assert.strictEqual(Address.of(recovered), account)
        }
      })
    )
  })
