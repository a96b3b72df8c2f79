/** Contract of every {@link Signatures}, for a signer that it understands. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option, Schema } from "effect"
import { concatHex, keccak256, numberToHex, sliceHex } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import type { Authorization } from "../../../src/domain/Delegation.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import { digest, type SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { Signatures } from "../../../src/ports/orchestrator/Signatures.ts"

export interface SignaturesHarness {
  readonly layer: Layer.Layer<Signatures>
  readonly signer: Address.Address
  readonly sign: (hash: Hash) => Effect.Effect<Hex>
  readonly authorize: (
    authorization: Pick<Authorization, "address" | "chainId" | "nonce">
  ) => Effect.Effect<Authorization>
}

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 }))
const hashOf = (seed: number): Hash => keccak256(numberToHex(seed, { size: 32 }))
const flipped = (hex: Hex): Hex => (hex.endsWith("0") ? `0x${hex.slice(2, -1)}1` : `0x${hex.slice(2, -1)}0`)

export const order: SweepOrder = {
  owner: Address.of("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
  tokenIn: Address.of("0x1111111111111111111111111111111111111111"),
  amountIn: 10n ** 18n,
  feeAmount: 10n ** 15n,
  builder: Address.zero,
  builderFee: 0n,
  tokenOut: Address.of("0x2222222222222222222222222222222222222222"),
  minAmountOut: 1n,
  destination: Address.of("0x3333333333333333333333333333333333333333"),
  swapTarget: Address.of("0x4444444444444444444444444444444444444444"),
  swapCalldata: "0x12345678",
  deadline: 1_800_000_000n,
  nonce: 7n,
  destChainId: 8453n
}

export const signaturesSuite = (name: string, harness: SignaturesHarness) =>
  layer(harness.layer)(name, (it) => {
    it.effect.prop("recovers who signed a digest, and only from that digest", [Seed], ([seed]) =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const signature = yield* harness.sign(hashOf(seed))
        assert.deepStrictEqual(yield* signatures.recover(hashOf(seed), signature), Option.some(harness.signer))
        assert.notDeepEqual(yield* signatures.recover(hashOf(seed + 1), signature), Option.some(harness.signer))
      })
    )

    it.effect("takes no signature of another length or ending", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const signature = yield* harness.sign(hashOf(1))
        for (const malformed of [
          "0x" as const,
          sliceHex(signature, 0, 63),
          concatHex([signature, "0x00"]),
          concatHex([sliceHex(signature, 0, 64), "0x05"]),
          concatHex([sliceHex(signature, 0, 64), "0x00"])
        ]) {
          assert.deepStrictEqual(yield* signatures.recover(hashOf(1), malformed), Option.none())
        }
      })
    )

    it.effect.prop("recovers who authorized a delegate, and nothing else", [Seed], ([seed]) =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const authorization = yield* harness.authorize({
          address: order.swapTarget,
          chainId: 8453,
          nonce: BigInt(seed)
        })
        assert.deepStrictEqual(yield* signatures.recoverAuthority(authorization), Option.some(harness.signer))
        for (const other of [
          { ...authorization, chainId: 1 },
          { ...authorization, nonce: authorization.nonce + 1n },
          { ...authorization, address: order.tokenIn },
          { ...authorization, s: flipped(authorization.s) }
        ]) {
          assert.notDeepEqual(yield* signatures.recoverAuthority(other), Option.some(harness.signer))
        }
      })
    )

    it.effect("hashes orders as the domain does", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const domain = { name: "Service", chainId: 8453 }
        assert.strictEqual(yield* signatures.orderDigest(order, domain), digest(order, domain))
      })
    )
  })
