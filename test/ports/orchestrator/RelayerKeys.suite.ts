/** Contract of every {@link RelayerKeys}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { keccak256 } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../../src/ports/shared/Transaction.ts"

export const unsigned: UnsignedTransaction = {
  chainId: 8453,
  nonce: 0n,
  to: Address.of("0x1111111111111111111111111111111111111111"),
  data: "0xabcdef",
  gas: 200_000n,
  maxFeePerGas: 3_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  authorizationList: []
}

export interface RelayerKeysHarness {
  readonly layer: Layer.Layer<RelayerKeys, unknown>
  /** The lanes that the layer was given, in its order. */
  readonly lanes: ReadonlyArray<Address.Address>
}

export const relayerKeysSuite = (name: string, harness: RelayerKeysHarness) =>
  layer(harness.layer)(name, (it) => {
    it.effect("has the configured lanes on every chain, in order", () =>
      Effect.gen(function* () {
        const keys = yield* RelayerKeys
        assert.deepStrictEqual(keys.lanes(1), harness.lanes)
        assert.deepStrictEqual(keys.lanes(8453), harness.lanes)
      })
    )

    it.effect("knows the hash of what it signs, and signs each lane and nonce differently", () =>
      Effect.gen(function* () {
        const keys = yield* RelayerKeys
        const hashes = new Set<string>()
        for (const lane of harness.lanes) {
          for (const nonce of [0n, 1n]) {
            const signed = yield* keys.sign(lane, { ...unsigned, nonce })
            assert.strictEqual(signed.hash, keccak256(signed.raw))
            hashes.add(signed.hash)
          }
        }
        assert.strictEqual(hashes.size, 2 * harness.lanes.length)
      })
    )

    it.effect("answers, and runs what signs in turn", () =>
      Effect.gen(function* () {
        const keys = yield* RelayerKeys
        for (const lane of harness.lanes) {
          assert.isTrue(yield* keys.isAnswering(lane))
          assert.strictEqual(yield* keys.inTurn(lane, Effect.succeed(1)), 1)
        }
      })
    )

    it.effect("signs for no other account", () =>
      Effect.gen(function* () {
        const keys = yield* RelayerKeys
        const error = yield* Effect.flip(keys.sign(Address.zero, unsigned))
        assert.strictEqual(error._tag, "SigningFailed")
        assert.strictEqual(error.lane, Address.zero)
      })
    )
  })
