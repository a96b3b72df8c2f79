import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ChainTimes, secondsUntilDelivery } from "../../src/domain/EstimatedTime.ts"
import { confirmationsFor } from "../../src/domain/ChainMoney.ts"

const USD = 10n ** 18n

const source: ChainTimes = { blockTimeMillis: 2_000, confirmations: 3 }
const destination: ChainTimes = {
  blockTimeMillis: 12_000,
  confirmations: 2,
  confirmationsByValue: [{ aboveUsd: 1_000, confirmations: 32 }]
}

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 15_000 }))
const Times = Schema.Struct({ blockTimeMillis: Millis, confirmations: Count })
const Value = Schema.UndefinedOr(Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 25n })))

describe("the expected time of a sweep", () => {
  it("is that of the depth for its value", () => {
    assert.strictEqual(secondsUntilDelivery(source, 5n * USD, undefined), 6)
    assert.strictEqual(secondsUntilDelivery(destination, 5n * USD, undefined), 24)
    assert.strictEqual(secondsUntilDelivery(destination, 1_001n * USD, undefined), 384)
    assert.strictEqual(secondsUntilDelivery(destination, undefined, undefined), 384)
  })

  it("has the depth of the destination across chains", () => {
    assert.strictEqual(secondsUntilDelivery(source, 5n * USD, { destination, bridgeSeconds: 5 }), 2 + 5 + 24)
    assert.strictEqual(secondsUntilDelivery(source, 1_001n * USD, { destination, bridgeSeconds: 5 }), 2 + 5 + 384)
    // The source is deeper than the fill is slow.
    assert.strictEqual(secondsUntilDelivery(destination, 1_001n * USD, { destination: source, bridgeSeconds: 5 }), 384)
  })

  it.prop("is never less than the watcher waits for", [Times, Times, Count, Value], ([from, to, seconds, value]) => {
    const took = secondsUntilDelivery(from, value, { destination: to, bridgeSeconds: seconds })
    return (
      took * 1_000 >= confirmationsFor(from, value) * from.blockTimeMillis &&
      took * 1_000 >= seconds * 1_000 + confirmationsFor(to, value) * to.blockTimeMillis
    )
  })
})
