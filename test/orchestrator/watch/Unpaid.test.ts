/** First sweeps that pay native currency to a contract which others pay too, and whose owners void them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { numberToHex } from "viem"
import { classOf, firstClass } from "../../../src/domain/Exposure.ts"
import { position } from "../../../src/domain/OrderNonce.ts"
import { calldataGas } from "../../../src/domain/TransactionGas.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { address } from "../../support/FakeChain.ts"
import { cancelledLog, source } from "../../support/RelayFixtures.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { sumsOf } from "../relay/concluded.ts"

const SPLITTER = address(0xdd)
const ofFirst = firstClass(source.id, false)
const ofSplitter = classOf("unlisted", "token_out", source.id, SPLITTER)
const ofUnlisted = classOf("unlisted", "all", source.id)
const ofOwner = (owner: number) => classOf("unlisted", "owner", source.id, address(owner))

/** Bit of the order's nonce. */
const { mask: USED } = position(7n)

interface Ending {
  /** Gas of the execution, besides what its calldata and authorizations cost. */
  readonly executed?: bigint
  readonly status?: "success" | "reverted"
  /** Nonces of the owner's word before and after the block. Default: none. */
  readonly before?: bigint
  readonly after?: bigint
  /** False if the entry skips the account. Default: true. */
  readonly runs?: boolean
  /** True if the quote met the code. Default: true. */
  readonly isQuoted?: boolean
}

/** Sweeps of so many owners to the splitter in one transaction. None settles. Returns what classes lost, and the cost. */
const ended = Effect.fnUntraced(function* (owners: number, ending: Ending) {
  const { after = 0n, before = 0n, executed = 300_000n, isQuoted = true, runs = true } = ending
  const the = yield* scene
  yield* the.chain.setCode(SPLITTER, "0x60")
  const intents = yield* Effect.forEach(Array.from({ length: owners }), (_, index) =>
    the.submit({
      id: `sweep ${index + 1}`,
      owner: index + 1,
      order: { tokenOut: NATIVE, destination: SPLITTER },
      ...(isQuoted ? { runsOthersCode: true } : {})
    })
  )
  assert.strictEqual((yield* relay).sent, owners)
  const { attempts } = yield* the.pending
  if ((before | after) !== 0n) {
    yield* the.chain.mine([{ hash: hash("cancels"), logs: intents.map(({ order }) => cancelledLog(order)) }])
  }
  const [attempt] = attempts
  const { authorizationList, data } = parse(attempt?.raw ?? "0x")
  const gasUsed = 21_000n + calldataGas(data) + 12_500n * BigInt(authorizationList.length) + executed
  const { status = "success" } = ending
  const block = yield* the.mineLane({ hash: attempt?.hash ?? "0x", status, logs: [], gasUsed })
  yield* the.bury(2)
  yield* the.chain.onCall(({ block: at, to }) => {
    if (to === source.contracts.entry) return Effect.succeed(numberToHex(runs ? 1n : 0n, { size: 32 }))
    if (to !== source.contracts.guard) return Effect.succeed(numberToHex(10n ** 18n, { size: 32 }))
    const isParent = typeof at === "object" && at.hash === block.parentHash
    return Effect.succeed(numberToHex(isParent ? before : after, { size: 32 }))
  })
  // A process that has not sent them knows what they reserved, but not that the relayer met code.
  yield* Effect.provide(tick, Layer.fresh(Watcher.layerOnDemand))
  assert.deepStrictEqual(yield* the.unfinished, [])
  const lostBy = (key: string) => Effect.map(sumsOf(key), (sums) => sums?.hour.lost ?? 0n)
  return {
    first: yield* lostBy(ofFirst),
    owner: yield* lostBy(ofOwner(owners)),
    splitter: yield* lostBy(ofSplitter),
    unlisted: yield* lostBy(ofUnlisted),
    cost: gasUsed * block.baseFeePerGas
  }
})

describe("a first sweep that lost without a payment to its destination's code", () => {
  const isOwners = (name: string, owners: number, ending: Ending) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const { cost, first, owner, splitter, unlisted } = yield* ended(owners, ending)
        assert.deepStrictEqual([splitter, unlisted], [0n, 0n])
        assert.isTrue(first >= cost && first <= cost + BigInt(owners), `${first} of ${cost}`)
        if (ending.isQuoted !== false) assert.strictEqual(owner, first / BigInt(owners))
      }).pipe(Effect.provide(layer))
    )

  isOwners("counts for its owner if the entry skipped it alone", 1, { runs: false })
  isOwners("counts for its owner if its nonce was used in a block before", 1, { before: USED, after: USED })
  isOwners("does so too if the transaction reverted", 1, { before: USED, after: USED, status: "reverted" })
  isOwners("counts for its owner if its nonce was used in the same block", 1, { after: USED, executed: 25_000n })
  isOwners("counts for its owner if its tokens were moved before it", 1, { executed: 50_000n })
  isOwners("counts for its owner beside another one", 2, { before: USED, after: USED })
  isOwners("counts once for the first sweeps if the code appeared after the quote", 1, {
    before: USED,
    after: USED,
    isQuoted: false
  })
})

describe("a first sweep of which nobody can tell if its destination's code ran", () => {
  const isSplitters = (name: string, ending: Ending) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const { cost, first, splitter, unlisted } = yield* ended(1, ending)
        assert.deepStrictEqual([first, splitter, unlisted], [0n, cost, cost])
      }).pipe(Effect.provide(layer))
    )

  isSplitters("counts for the account that it pays", {})
  isSplitters("counts for it if its nonce was used in the same block, before or after it", { after: USED })
  isSplitters("counts for it with the gas of a payout", { executed: 53_100n })
  isSplitters("counts for it, and not for the first sweeps, if the code appeared after the quote", { isQuoted: false })
})

describe("a first sweep that its transaction no longer has", () => {
  it.effect("counts for the first sweeps, and neither for its owner nor for the account that it pays", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.chain.setCode(SPLITTER, "0x60")
      const order = { tokenOut: NATIVE, destination: SPLITTER }
      yield* the.submit({ id: "late", owner: 1, order, runsOthersCode: true })
      assert.strictEqual((yield* relay).sent, 1)
      yield* the.passDeadline
      yield* tick
      const selfSend = (yield* the.pending).attempts.at(-1)
      assert.strictEqual(parse(selfSend?.raw ?? "0x").to, the.lane)
      yield* the.mineLane({ hash: selfSend?.hash ?? "0x", gasUsed: 21_000n })
      yield* the.bury(2)
      yield* tick
      assert.deepStrictEqual(yield* the.unfinished, [])
      const lostBy = (key: string) => Effect.map(sumsOf(key), (sums) => sums?.hour.lost ?? 0n)
      assert.isTrue((yield* lostBy(ofFirst)) > 0n)
      for (const key of [ofOwner(1), ofSplitter, ofUnlisted]) assert.strictEqual(yield* lostBy(key), 0n, key)
    }).pipe(Effect.provide(layer))
  )
})
