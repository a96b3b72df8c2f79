import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { hash } from "../../support/IntentFixtures.ts"
import type { Attempt } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import type { Observation, TransactionPlan } from "../../../src/orchestrator/watch/Findings.ts"
import { depth, isOverdue, newestOf, plan } from "../../../src/orchestrator/watch/Plan.ts"

const timing = { rebroadcastMillis: 15_000, bumpMillis: 45_000 }

const Small = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 6n }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const Fee = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 1_000n }))
const Fees = Schema.Struct({ maxFeePerGas: Fee, maxPriorityFeePerGas: Fee })
const Inclusion = Schema.Struct({
  hash: Schema.Literals([hash("first"), hash("second")]),
  blockNumber: Small,
  blockHash: Schema.Literals([hash("block"), hash("its rival")])
})

/** Anything that could ever be seen, sensible or not: nodes lie, lag and contradict themselves. */
const Seen = Schema.Struct({
  transaction: Schema.Struct({
    kind: Schema.Literals(["sweep", "cancel"]),
    nonce: Small,
    inclusion: Schema.optionalKey(Inclusion),
    newest: Schema.Struct({
      hash: Schema.Literal(hash("second")),
      raw: Schema.Literal("0x"),
      ...Fees.fields,
      signedAtMs: Millis,
      broadcastAtMs: Schema.optionalKey(Millis)
    })
  }),
  mined: Schema.UndefinedOr(Inclusion),
  inclusionStands: Schema.UndefinedOr(Schema.Boolean),
  head: Small,
  confirmations: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
  laneNonce: Schema.Struct({ latest: Small, confirmed: Small }),
  displaced: Schema.UndefinedOr(Schema.Struct({ passes: Schema.Int, sinceMs: Millis })),
  wanted: Schema.Boolean,
  nowMs: Millis,
  isOverdue: Schema.Literal(false),
  outageMillis: Schema.Literal(0),
  market: Schema.Struct({ ...Fees.fields, baseFeePerGas: Fee })
})

const decide = (seen: Observation): TransactionPlan => plan(seen, timing)

const holds = (name: string, property: (seen: Observation, decided: TransactionPlan) => boolean) =>
  it.prop(name, [Seen], ([seen]) => property(seen, decide(seen)))

describe("the plan for a relay transaction", () => {
  holds("concludes exactly what is mined and deep enough", (seen, { _tag }) => {
    const isDeep = seen.mined !== undefined && depth(seen.head, seen.mined.blockNumber) >= BigInt(seen.confirmations)
    return (_tag === "Conclude") === isDeep
  })

  holds("signs and sends nothing while a version is, or was last seen, in a block", (seen, { _tag }) => {
    const isInBlock =
      seen.mined !== undefined || (seen.transaction.inclusion !== undefined && seen.inclusionStands !== false)
    return !isInBlock || ["Wait", "Include", "Conclude"].includes(_tag)
  })

  holds("lets go of intents only when the nonce is spent for good, and by none of ours", (seen, { _tag }) => {
    if (_tag !== "Detach") return true
    const { displaced, laneNonce, mined, nowMs, transaction } = seen
    if (displaced === undefined || displaced.passes < 3 || nowMs - displaced.sinceMs < 60_000) return false
    return mined === undefined && laneNonce.confirmed > transaction.nonce
  })

  holds("signs another version only while the nonce is free", (seen, { _tag }) => {
    return (_tag !== "Bump" && _tag !== "Cancel") || seen.laneNonce.latest <= seen.transaction.nonce
  })

  holds("raises the fees of the lane's next nonce only", (seen, { _tag }) => {
    return _tag !== "Bump" || seen.laneNonce.latest === seen.transaction.nonce
  })

  holds("cancels exactly a sweep that is not wanted, and a self-send never", (seen, { _tag }) => {
    return _tag !== "Cancel" || (seen.transaction.kind === "sweep" && !seen.wanted)
  })

  holds("offers at once what was never offered, unless it is decided already or unwanted", (seen, { _tag }) => {
    const { transaction } = seen
    const isOpen =
      seen.mined === undefined &&
      transaction.inclusion === undefined &&
      seen.laneNonce.confirmed <= transaction.nonce &&
      seen.laneNonce.latest <= transaction.nonce
    const isUnwanted = transaction.kind === "sweep" && !seen.wanted
    return !isOpen || isUnwanted || transaction.newest.broadcastAtMs !== undefined || _tag === "Rebroadcast"
  })

  holds("notes a reorganisation only of a block that was noted and that another one replaced", (seen, { _tag }) => {
    return _tag !== "Reorged" || (seen.transaction.inclusion !== undefined && seen.inclusionStands === false)
  })

  holds("notes no block beyond the head", (seen, decided) => {
    return decided._tag !== "Include" || decided.inclusion.blockNumber <= seen.head
  })

  holds("is idle once it has done what it planned", (seen, decided) => {
    if (decided._tag !== "Include") return true
    const noted = { ...seen, transaction: { ...seen.transaction, inclusion: decided.inclusion } }
    return decide(noted)._tag === "Wait"
  })

  const Unsigned = Schema.Struct({ ...Seen.fields, isOverdue: Schema.Boolean, outageMillis: Millis })

  it.prop(
    "releases overdue intents exactly when the lane cannot sign for a minute and the nonce is free",
    [Unsigned],
    ([seen]) => {
      const { inclusion, nonce } = seen.transaction
      const isFree = seen.laneNonce.confirmed <= nonce && seen.laneNonce.latest <= nonce
      const isInNoBlock = seen.mined === undefined && inclusion === undefined
      const isDue = seen.isOverdue && seen.outageMillis >= 60_000
      return (decide(seen)._tag === "Release") === (isFree && isInNoBlock && isDue)
    }
  )

  it("takes intents for overdue once a confirmed block is after the deadline of each that is open", () => {
    const carrying = { intentIds: ["a"], wantedUntil: 5n }
    assert.isFalse(isOverdue(carrying, 5n))
    assert.isTrue(isOverdue(carrying, 6n))
    assert.isFalse(isOverdue(carrying, undefined))
    // All of them have ended otherwise.
    assert.isTrue(isOverdue({ intentIds: ["a"] }, 1n))
    assert.isFalse(isOverdue({ intentIds: [] }, 6n))
    assert.isFalse(isOverdue({ ...carrying, reopened: { atMs: 1, hash: hash("first") } }, 6n))
  })

  it("raises the fees of a stuck transaction once its nonce is the lane's next", () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n }
    const stuck = (latest: bigint): Observation => ({
      transaction: {
        kind: "sweep",
        nonce: 5n,
        newest: { hash: hash("second"), raw: "0x", ...fees, signedAtMs: 0, broadcastAtMs: 49_000 }
      },
      mined: undefined,
      inclusionStands: false,
      head: 6n,
      confirmations: 2,
      laneNonce: { latest, confirmed: latest },
      wanted: true,
      nowMs: 50_000,
      isOverdue: false,
      outageMillis: 0,
      market: { ...fees, baseFeePerGas: 100n }
    })
    assert.strictEqual(decide(stuck(5n))._tag, "Bump")
    assert.strictEqual(decide(stuck(4n))._tag, "Wait")
    // Something has the nonce. It is given up when that is confirmed, and the receipt stays absent.
    const displaced = { passes: 3, sinceMs: -10_000 }
    assert.strictEqual(decide({ ...stuck(6n), displaced })._tag, "Detach")
    assert.strictEqual(decide({ ...stuck(6n), displaced, laneNonce: { latest: 6n, confirmed: 5n } })._tag, "Wait")
    assert.strictEqual(decide({ ...stuck(6n), displaced: { ...displaced, passes: 2 } })._tag, "Wait")
    assert.strictEqual(decide({ ...stuck(6n), displaced: { ...displaced, sinceMs: -9_999 } })._tag, "Wait")
    assert.strictEqual(decide(stuck(6n))._tag, "Wait")
  })

  it("raises the fees of a transaction below the base fee when it is due to be broadcast again", () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n }
    const at = (nowMs: number, baseFeePerGas: bigint, feeLimit?: bigint): Observation => ({
      transaction: {
        kind: "sweep",
        nonce: 5n,
        newest: { hash: hash("second"), raw: "0x", ...fees, signedAtMs: 0, broadcastAtMs: 0 }
      },
      mined: undefined,
      inclusionStands: false,
      head: 6n,
      confirmations: 2,
      laneNonce: { latest: 5n, confirmed: 5n },
      wanted: true,
      nowMs,
      isOverdue: false,
      outageMillis: 0,
      market: { maxFeePerGas: 2n * baseFeePerGas, maxPriorityFeePerGas: 1n, baseFeePerGas },
      feeLimit
    })
    assert.strictEqual(decide(at(14_999, 101n))._tag, "Wait")
    assert.strictEqual(decide(at(15_000, 100n))._tag, "Rebroadcast")
    assert.strictEqual(decide(at(15_000, 101n))._tag, "Bump")
    // The lane may have to free the nonce, whatever the limit.
    assert.strictEqual(decide(at(15_000, 101n, 100n))._tag, "Bump")
    assert.strictEqual(decide(at(45_000, 100n, 100n))._tag, "Rebroadcast")
    assert.strictEqual(decide(at(45_000, 100n, 200n))._tag, "Bump")
  })

  it("sends and replaces a version whose times are far ahead, since the clock was set back", () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n }
    const at = (signedAtMs: number, broadcastAtMs: number): Observation => ({
      transaction: {
        kind: "sweep",
        nonce: 5n,
        newest: { hash: hash("second"), raw: "0x", ...fees, signedAtMs, broadcastAtMs }
      },
      mined: undefined,
      inclusionStands: false,
      head: 6n,
      confirmations: 2,
      laneNonce: { latest: 5n, confirmed: 5n },
      wanted: true,
      nowMs: 1_000_000,
      isOverdue: false,
      outageMillis: 0,
      market: { ...fees, baseFeePerGas: 100n }
    })
    assert.strictEqual(decide(at(1_060_000, 1_060_000))._tag, "Wait", "clocks of processes differ by a little")
    assert.strictEqual(decide(at(1_000_000, 1_060_001))._tag, "Rebroadcast")
    assert.strictEqual(decide(at(4_600_000, 4_600_000))._tag, "Bump")
  })

  it("replaces no version that another process signed by a clock that is some minutes ahead", () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n }
    const at = (aheadMs: number, baseFeePerGas = 100n): Observation => ({
      transaction: {
        kind: "sweep",
        nonce: 5n,
        newest: {
          hash: hash("second"),
          raw: "0x",
          ...fees,
          signedAtMs: 1_000_000 + aheadMs,
          broadcastAtMs: 1_000_000 + aheadMs
        }
      },
      mined: undefined,
      inclusionStands: false,
      head: 6n,
      confirmations: 2,
      laneNonce: { latest: 5n, confirmed: 5n },
      wanted: true,
      nowMs: 1_000_000,
      isOverdue: false,
      outageMillis: 0,
      market: { maxFeePerGas: 2n * baseFeePerGas, maxPriorityFeePerGas: 1n, baseFeePerGas }
    })
    assert.strictEqual(decide(at(100_000))._tag, "Rebroadcast")
    assert.strictEqual(decide(at(900_000))._tag, "Rebroadcast")
    assert.strictEqual(decide(at(900_000, 101n))._tag, "Rebroadcast")
    // The clock was set back by hours.
    assert.strictEqual(decide(at(900_001))._tag, "Bump")
  })

  it("takes the including block as the first of the depth", () => {
    assert.strictEqual(depth(10n, 10n), 1n)
    assert.strictEqual(depth(12n, 10n), 3n)
  })
})

describe("the version of a reopened transaction that is sent next", () => {
  const version = (name: string, signedAtMs: number, broadcastAtMs = signedAtMs): Attempt => ({
    hash: hash(name),
    raw: "0x",
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    signedAtMs,
    broadcastAtMs
  })
  const next = (...attempts: ReadonlyArray<Attempt>) =>
    newestOf({ attempts, reopened: { atMs: 100, hash: hash("included") } })

  it("is the one that its block had, until another one is signed", () => {
    const [included, second, third] = [version("included", 1), version("second", 2), version("third", 3)]
    const { broadcastAtMs: _, ...unsent } = included
    assert.deepStrictEqual(next(included, second, third), { ...unsent, signedAtMs: 100 })
    const sentAgain = { ...included, broadcastAtMs: 115 }
    assert.deepStrictEqual(next(sentAgain, second, third), { ...sentAgain, signedAtMs: 100 })
  })

  it("is the one that was signed last since then, wherever it stands", () => {
    const [included, third, fourth] = [version("included", 1), version("third", 3), version("fourth", 200)]
    const again = version("second", 145)
    assert.deepStrictEqual(next(included, again, third), again)
    assert.deepStrictEqual(next(included, again, third, fourth), fourth)
    assert.deepStrictEqual(next(included, { ...again, signedAtMs: 201 }, third, fourth)?.hash, again.hash)
    assert.deepStrictEqual(next(included, again, { ...third, signedAtMs: 145 })?.hash, third.hash)
  })
})
