/**
 * The plan in a world that does its worst: runs stop anywhere, bytes get lost, somebody else uses the account's nonces, time
 * passes. Whatever happens, the batch is paid at most once, and once the world is kind again it is paid.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { isPassedOver, type Observation, plan, type Version } from "../../../src/builder/payout/PaymentPlan.ts"
import type { Hash } from "../../../src/domain/Hex.ts"

const TIMING = { bumpMillis: 60_000, marginSeconds: 60n }
const LIFETIME = 600n
const BLOCK_SECONDS = 12n
const CONFIRMATIONS = 3

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/** A chain, its mempool and Permit2, as far as a payment can tell. */
class World {
  head = { number: 100n, timestamp: 1_000n }
  nonce = 0n
  spent = false
  allowance = 0n
  paid = 0
  readonly versions: Array<Mutable<Version>> = []
  /** Positions of the versions that nodes know. */
  readonly known = new Set<number>()
  booked: Hash | undefined

  look(isBroadcast: boolean) {
    return plan(
      {
        versions: this.versions,
        isSpent: this.spent,
        isSpentConfirmed: false,
        head: this.head,
        confirmations: CONFIRMATIONS,
        accountNonce: { latest: this.nonce, pending: this.nonce },
        balance: 100n,
        allowance: this.allowance,
        total: 100n,
        market: { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n },
        nowMs: Number(this.head.timestamp) * 1000,
        isBroadcast
      },
      TIMING
    )
  }

  /** One look and its deed, which is cut short after `deeds` of its parts. */
  run(deeds: number): void {
    const decided = this.look(false)
    const newest = this.versions.at(-1)
    switch (decided._tag) {
      case "Book":
        assert.strictEqual(this.paid, 1, "only what was paid is booked")
        if (deeds > 0) this.booked = decided.txHash
        break
      case "Sign": {
        assert.isFalse(this.spent, "nothing is signed once the batch is paid")
        if (newest !== undefined && newest.receipt === undefined && newest.nonce >= this.nonce) {
          assert.strictEqual(decided.nonce, newest.nonce, "what waits is replaced, not queued behind")
          assert.isTrue(decided.fees.maxFeePerGas * 8n >= newest.fees.maxFeePerGas * 9n)
        } else {
          assert.strictEqual(decided.nonce, this.nonce)
        }
        if (deeds === 0) break
        this.versions.push({
          txHash: `0x${this.versions.length.toString(16).padStart(64, "0")}`,
          nonce: decided.nonce,
          gas: 1n,
          fees: decided.fees,
          deadline: this.head.timestamp + LIFETIME,
          recordedAtMs: Number(this.head.timestamp) * 1000,
          receipt: undefined
        })
        if (deeds > 1) this.known.add(this.versions.length - 1)
        break
      }
      case "Broadcast":
        assert.isDefined(newest)
        if (deeds > 0) this.known.add(this.versions.length - 1)
        break
      case "Approve":
        assert.deepStrictEqual(decided.amounts.length, 1)
        if (deeds > 0) {
          this.allowance = 10n ** 30n
          this.nonce += 1n
        }
        break
      case "Wait":
        break
      case "Underfunded":
      case "Stray":
        assert.fail(decided._tag)
    }
  }

  /** A block with one of the versions in it, if it can be; `pick` chooses among those that nodes know. */
  mine(pick: number | undefined): void {
    this.head = { number: this.head.number + 1n, timestamp: this.head.timestamp + BLOCK_SECONDS }
    const minable = [...this.known].filter((at) => {
      const version = this.versions[at]
      return version !== undefined && version.receipt === undefined && version.nonce === this.nonce
    })
    const version =
      pick === undefined || minable.length === 0 ? undefined : this.versions[minable[pick % minable.length] ?? -1]
    if (version === undefined) return
    this.nonce += 1n
    const pays = !this.spent && version.deadline >= this.head.timestamp && this.allowance >= 100n
    version.receipt = { status: pays ? "success" : "reverted", blockNumber: this.head.number }
    if (pays) {
      this.spent = true
      this.paid += 1
    }
  }
}

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const Event = Schema.Union([
  Schema.Struct({ do: Schema.Literal("run"), deeds: small(2) }),
  Schema.Struct({ do: Schema.Literal("mine"), pick: small(3) }),
  Schema.Struct({ do: Schema.Literal("time"), blocks: small(80) }),
  Schema.Struct({ do: Schema.Literal("forget") }),
  Schema.Struct({ do: Schema.Literal("elsewhere") }),
  Schema.Struct({ do: Schema.Literal("revoke") })
])

describe("the plan of a payment", () => {
  it.effect.prop(
    "pays once, whatever happens, and in the end",
    [Schema.Array(Event).check(Schema.isMaxLength(60))],
    ([events]) =>
      Effect.sync(() => {
        const world = new World()
        for (const event of events) {
          switch (event.do) {
            case "run":
              world.run(event.deeds)
              break
            case "mine":
              world.mine(event.pick)
              break
            case "time":
              for (let block = 0; block < event.blocks; block++) world.mine(undefined)
              break
            case "forget":
              world.known.clear()
              break
            case "elsewhere":
              world.nonce += 1n
              break
            case "revoke":
              world.allowance = 0n
              break
          }
          assert.isAtMost(world.paid, 1)
        }
        for (let round = 0; round < 40 && world.booked === undefined; round++) {
          world.run(2)
          world.mine(world.versions.length - 1)
        }
        assert.strictEqual(world.paid, 1)
        assert.strictEqual(world.booked, world.versions.find(({ receipt }) => receipt?.status === "success")?.txHash)
      }),
    { arbitrary: { runs: 500 } }
  )

  it("leaves a version that was just handed over alone, and says what is amiss", () => {
    const world = new World()
    world.allowance = 10n ** 30n
    world.run(2)
    assert.strictEqual(world.look(true)._tag, "Wait")
    assert.strictEqual(world.look(false)._tag, "Broadcast")
    const stray = new World()
    stray.spent = true
    assert.strictEqual(stray.look(false)._tag, "Stray")
  })

  const version: Version = {
    txHash: `0x${"11".repeat(32)}`,
    nonce: 0n,
    gas: 1n,
    fees: { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n },
    deadline: 2_000n,
    recordedAtMs: 0,
    receipt: { status: "success", blockNumber: 100n }
  }

  const seen: Observation = {
    versions: [],
    isSpent: false,
    isSpentConfirmed: false,
    head: { number: 100n, timestamp: 1_000n },
    confirmations: CONFIRMATIONS,
    accountNonce: { latest: 0n, pending: 0n },
    balance: 100n,
    allowance: 100n,
    total: 100n,
    market: { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n },
    nowMs: 1_000_000,
    isBroadcast: false
  }

  it("books a payment with the last of its confirmations, the including block being the first", () => {
    const at = (number: bigint) =>
      plan({ ...seen, versions: [version], isSpent: true, head: { ...seen.head, number } }, TIMING)._tag
    assert.strictEqual(at(101n), "Wait")
    assert.strictEqual(at(102n), "Book")
  })

  it("pays nothing, and waits for nothing, once a transaction that is not recorded has spent the nonce", () => {
    const waiting = { ...seen, versions: [{ ...version, receipt: undefined }], isSpent: true, isSpentConfirmed: true }
    const reverted = { ...version, receipt: { status: "reverted" as const, blockNumber: 100n } }
    for (const each of [waiting, { ...waiting, versions: [reverted] }]) {
      assert.strictEqual(plan(each, TIMING)._tag, "Stray")
      assert.isTrue(isPassedOver(each), "a second look may find the receipt")
      const early = plan({ ...each, isSpentConfirmed: false }, TIMING)._tag
      assert.strictEqual(early, "Wait", "the node may not have the receipt of a recorded version yet")
    }
    assert.strictEqual(plan({ ...seen, isSpent: true }, TIMING)._tag, "Stray", "no version is recorded")
    assert.isFalse(isPassedOver({ ...waiting, versions: [version] }))
    assert.isFalse(isPassedOver({ ...waiting, versions: [] }))
  })

  it("replaces a version that is not mined, or past its deadline, with its own account nonce", () => {
    const market = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n }
    const accountNonce = { latest: 7n, pending: 8n }
    const pending = { ...version, nonce: 7n, receipt: undefined }
    const isAhead = { ...pending, recordedAtMs: seen.nowMs + 3_600_000 }
    for (const stuck of [pending, isAhead, { ...pending, deadline: 1_000n, recordedAtMs: seen.nowMs }]) {
      const next = plan({ ...seen, versions: [stuck], accountNonce, market, isBroadcast: true }, TIMING)
      assert.strictEqual(next._tag, "Sign")
      if (next._tag === "Sign") assert.deepStrictEqual([next.nonce, next.replaces], [7n, stuck])
    }
  })

  it("pays with the whole of the vault's balance, and not with one unit less", () => {
    assert.strictEqual(plan(seen, TIMING)._tag, "Sign")
    assert.strictEqual(plan({ ...seen, balance: 99n }, TIMING)._tag, "Underfunded")
  })
})
