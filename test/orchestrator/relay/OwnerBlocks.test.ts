import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, keccak256, numberToHex } from "viem"
import { sweepEntry } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { OwnerBlocks } from "../../../src/orchestrator/relay/OwnerBlocks.ts"
import * as Reduction from "../../../src/orchestrator/relay/Reduction.ts"
import { RecentIntents } from "../../../src/orchestrator/shared/RecentIntents.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { DEADLINE, layer, scene, source, START, sweptLog } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

/** Signature value by which a test tells whose authorization a transaction has. */
const signatureOf = (owner: number): Hex => numberToHex(owner, { size: 32 })

/** Owners whose sweeps the transaction carries. */
const ownersIn = (raw: Hex): ReadonlyArray<Address.Address> => {
  const { data, to } = parse(raw)
  if (to !== source.contracts.entry) return [to]
  const [items] = decodeFunctionData({ abi: sweepEntry.abi, data }).args ?? []
  return (items ?? []).map(({ account }) => Address.of(account))
}

/** Sweeps `s1`, `s2` … of owners 1, 2 …, on a node whose pool takes no authorization of the hostile ones. */
const crowd = Effect.fnUntraced(function* (count: number, names = false) {
  const the = yield* scene
  const transactions = yield* RelayTransactions
  const hostile = new Set<number>()
  const accepted: Array<Hex> = []
  /** Versions of which the node had no stored attempt when it received them. */
  const unstored: Array<Hex> = []
  yield* the.chain.onSend((raw) =>
    Effect.gen(function* () {
      const hash = keccak256(raw)
      const stored = (yield* Effect.orDie(transactions.unfinished(source.id))).flatMap(({ attempts }) => attempts)
      if (!stored.some((attempt) => attempt.hash === hash)) unstored.push(raw)
      const busy = [...hostile].find((owner) =>
        parse(raw).authorizationList.some(({ r }) => BigInt(r) === BigInt(owner))
      )
      if (busy === undefined) {
        accepted.push(raw)
        return hash
      }
      const detail = `authority already reserved${names ? `: ${address(busy).toLowerCase()}` : ""}`
      return yield* new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail })
    })
  )
  const submit = (owner: number, id = `s${owner}`) => the.submit({ id, owner, submission: { r: signatureOf(owner) } })
  const intents = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    (owner) => submit(owner)
  )
  const blocking = Effect.flatMap(Alerts, ({ list }) =>
    Effect.map(list, (all) => all.filter(({ kind }) => kind === "owner_blocks_batch"))
  )
  return { ...the, accepted, blocking, hostile, intents, submitFor: submit, unstored }
})

describe("a batch that nodes refuse because of one owner", () => {
  it.effect.each([1, 7, 16, 32])("is sent without owner %i in one pass", (owner) =>
    Effect.gen(function* () {
      const { accepted, blocking, hostile, sent, unfinished, unstored } = yield* crowd(32)
      hostile.add(owner)
      assert.deepStrictEqual(yield* relay, { claimed: 32, sent: 31 })
      const offers = yield* sent
      assert.isAtMost(offers.length, 7)
      assert.lengthOf(unstored, 0)

      // Each of the others is in exactly one accepted transaction, and the nonces have no gap.
      const carried = accepted.flatMap(ownersIn)
      assert.lengthOf(carried, 31)
      assert.strictEqual(new Set(carried).size, 31)
      assert.notInclude(carried, address(owner))
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).nonce),
        accepted.map((_, index) => BigInt(index))
      )
      // The links are those of the accepted bytes.
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds.length),
        accepted.map((raw) => ownersIn(raw).length)
      )
      const [alert, ...others] = yield* blocking
      assert.lengthOf(others, 0)
      assert.deepInclude(alert?.details, { owner: address(owner), chainId: source.id, intentId: `s${owner}` })
      assert.include(alert?.message, address(owner))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried without the owner whom the node names", () =>
    Effect.gen(function* () {
      const { accepted, hostile, sent } = yield* crowd(32, true)
      hostile.add(19)
      assert.deepStrictEqual(yield* relay, { claimed: 32, sent: 31 })
      assert.lengthOf(yield* sent, 2)
      assert.lengthOf(accepted, 1)
      // Both versions are of one nonce: at most one of them can be mined.
      assert.deepStrictEqual(
        (yield* sent).map(({ nonce }) => nonce),
        [0n, 0n]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried without an owner who blocked before, and with the owner once that one is free", () =>
    Effect.gen(function* () {
      const { accepted, hostile, intent, sent, submitFor } = yield* crowd(4)
      hostile.add(2)
      yield* relay
      const before = (yield* sent).length
      for (const owner of [11, 12, 13, 14]) yield* submitFor(owner)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(yield* relay, { claimed: 5, sent: 4 })
      assert.lengthOf((yield* sent).slice(before), 2)
      yield* TestClock.adjust(9_000)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      hostile.clear()
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(ownersIn(accepted.at(-1) ?? "0x"), [address(2)])
      assert.strictEqual((yield* intent("s2")).txHash, keccak256(accepted.at(-1) ?? "0x"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("that has nobody else leaves no gap in the lane's nonces", () =>
    Effect.gen(function* () {
      const { accepted, hostile, intent, lane, pending, submitFor } = yield* crowd(1)
      hostile.add(1)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      const { intentIds, kind } = yield* pending
      assert.deepStrictEqual({ intentIds, kind }, { intentIds: [], kind: "cancel" })
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).to),
        [lane]
      )
      assert.strictEqual((yield* intent("s1")).status, "submitted")
      yield* submitFor(2)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).nonce),
        [0n, 1n]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("that has nobody else costs a self-send a minute later at the earliest, and none beside others", () =>
    Effect.gen(function* () {
      const { accepted, hostile, lane, submitFor } = yield* crowd(1)
      hostile.add(1)
      const selfSends = () => accepted.filter((raw) => parse(raw).to === lane).length
      for (let seconds = 0; seconds < 59; seconds += 1) {
        yield* relay
        yield* TestClock.adjust(1_000)
      }
      assert.strictEqual(selfSends(), 1)
      yield* submitFor(2)
      yield* relay
      assert.deepStrictEqual(ownersIn(accepted.at(-1) ?? "0x"), [address(2)])
      assert.strictEqual(selfSends(), 1)
      for (let seconds = 0; seconds < 100; seconds += 1) {
        yield* TestClock.adjust(1_000)
        yield* relay
      }
      assert.strictEqual(selfSends(), 2)
      hostile.clear()
      for (let seconds = 0; seconds < 240; seconds += 1) {
        yield* TestClock.adjust(1_000)
        yield* relay
      }
      assert.include(accepted.flatMap(ownersIn), address(1))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent without both of two owners, each other sweep by the transaction that is stored for it", () =>
    Effect.gen(function* () {
      const { accepted, blocking, hostile, intents, unfinished } = yield* crowd(8)
      for (const owner of [5, 6]) hostile.add(owner)
      assert.deepStrictEqual(yield* relay, { claimed: 8, sent: 6 })
      const ownerOf = new Map(intents.map(({ id, order }) => [id, order.owner]))
      assert.deepStrictEqual<unknown>(
        (yield* unfinished).map(({ intentIds }) => intentIds.map((id) => ownerOf.get(id))),
        accepted.map(ownersIn)
      )
      assert.lengthOf(accepted.flatMap(ownersIn), 6)
      assert.lengthOf(yield* blocking, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of only hostile owners ends, and all of them wait", () =>
    Effect.gen(function* () {
      const { accepted, blocking, hostile, lane } = yield* crowd(6)
      for (const owner of [1, 2, 3, 4, 5, 6]) hostile.add(owner)
      assert.deepStrictEqual(yield* relay, { claimed: 6, sent: 0 })
      assert.lengthOf(yield* blocking, 6)
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).to),
        [lane]
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("the alert about an owner", () => {
  it.effect("is cleared when the owner's sweep has ended", () =>
    Effect.gen(function* () {
      const { blocking, chain, hostile, intent, passDeadline } = yield* crowd(3)
      hostile.add(3)
      yield* relay
      assert.lengthOf(yield* blocking, 1)
      yield* TestClock.adjust(5_000)
      yield* relay
      assert.lengthOf(yield* blocking, 1)
      yield* chain.mine([], DEADLINE - START - 5n)
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("s3")).status, "failed")
      yield* TestClock.adjust(5_000)
      yield* relay
      assert.lengthOf(yield* blocking, 0)
    }).pipe(Effect.provide(layer))
  )
})

describe("a version that may have reached a node", () => {
  it.effect("is left to the relayer that has just signed it", () =>
    Effect.gen(function* () {
      const { client, pending } = yield* crowd(4)
      yield* relay
      const { reduce } = yield* Reduction.make.pipe(
        Effect.provide(Layer.mergeAll(OwnerBlocks.layer, RecentIntents.layer, StandingAlerts.layer))
      )
      const before = yield* pending
      const [first] = before.attempts
      if (first === undefined) return yield* Effect.die("no attempt")
      const attempts = Effect.map(pending, (transaction) => transaction.attempts.length)
      yield* TestClock.adjust(14_999)
      yield* reduce(client, before, first, "authority already reserved")
      assert.strictEqual(yield* attempts, 1)
      // A look at a transaction that has another version by now changes nothing.
      const transactions = yield* RelayTransactions
      yield* transactions.addAttempt(before.id, { ...first, hash: keccak256("0x01") }, "sweep")
      yield* TestClock.adjust(1)
      yield* reduce(client, before, first, "authority already reserved")
      assert.strictEqual(yield* attempts, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps the sweeps that it leaves out until its nonce is used", () =>
    Effect.gen(function* () {
      const { accepted, bury, chain, hostile, intents, lane, mineLane, pending, sent } = yield* crowd(4)
      hostile.add(4)
      let answers = 0
      const refusal = new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail: "authority reserved" })
      const silence = new ChainUnavailable({ chainId: source.id, method: "eth_sendRawTransaction", detail: "timeout" })
      yield* chain.onSend(() => Effect.fail(answers++ === 0 ? refusal : silence))
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      const { attempts, intentIds } = yield* pending
      assert.deepStrictEqual(intentIds, ["s1", "s2", "s3", "s4"])
      assert.lengthOf(attempts, 2)
      // Nobody sends the others with another nonce meanwhile.
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })

      const [first, second] = intents
      if (first === undefined || second === undefined) return yield* Effect.die("no intents")
      yield* chain.onSend((raw) => Effect.sync(() => (accepted.push(raw), keccak256(raw))))
      yield* mineLane({ hash: attempts[1]?.hash ?? "0x", logs: [sweptLog(first), sweptLog(second)] })
      yield* bury(2)
      yield* tick
      yield* relay
      assert.deepStrictEqual(
        (yield* pending).intentIds,
        ["s3", "s4"],
        `lane ${lane} sent ${(yield* sent).length} transactions`
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is refused later is replaced by a smaller one with the same nonce and higher fees", () =>
    Effect.gen(function* () {
      const { accepted, blocking, bury, givenUp, hostile, intent, intents, mineLane, pending, unstored } =
        yield* crowd(8)
      assert.deepStrictEqual(yield* relay, { claimed: 8, sent: 8 })
      // The node lost its pool, and owner 5 filled the new one.
      hostile.add(5)
      yield* TestClock.adjust(15_000)
      yield* tick
      assert.lengthOf(unstored, 0)
      const [whole, smaller, ...more] = accepted
      assert.lengthOf(more, 0)
      if (whole === undefined || smaller === undefined) return yield* Effect.die("not replaced")
      assert.strictEqual(parse(smaller).nonce, parse(whole).nonce)
      for (const field of ["maxFeePerGas", "maxPriorityFeePerGas"] as const) {
        assert.isTrue(10n * parse(smaller)[field] >= 11n * parse(whole)[field])
      }
      const carried = ownersIn(smaller)
      assert.notInclude(carried, address(5))
      const { attempts, intentIds } = yield* pending
      assert.lengthOf(intentIds, 8)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })

      yield* mineLane({
        hash: attempts.at(-1)?.hash ?? "0x",
        logs: intents.filter(({ order }) => carried.includes(order.owner)).map((each) => sweptLog(each))
      })
      yield* bury(2)
      yield* tick
      for (const { id, order } of intents) {
        if (carried.includes(order.owner)) assert.strictEqual((yield* intent(id)).status, "delivered")
        else assert.isUndefined(yield* givenUp(id))
      }
      yield* relay
      yield* TestClock.adjust(3_000)
      yield* relay
      const again = accepted.slice(2).flatMap(ownersIn)
      assert.deepStrictEqual(
        [...carried, ...again, address(5)].toSorted(),
        intents.map(({ order }) => order.owner).toSorted()
      )
      assert.deepStrictEqual(
        (yield* blocking).map(({ details }) => details["owner"]),
        [address(5)]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced by a smaller one also while an endpoint is silent", () =>
    Effect.gen(function* () {
      const { blocking, chain, pending, sent } = yield* crowd(4)
      const failing = { chainId: source.id, method: "eth_sendRawTransaction", detail: "authority reserved; timeout" }
      yield* chain.onSend((raw) =>
        parse(raw).authorizationList.some(({ r }) => BigInt(r) === 3n)
          ? Effect.fail(new ChainUnavailable({ ...failing, refusal: "AuthorityBusy" }))
          : Effect.succeed(keccak256(raw))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 4 })
      yield* TestClock.adjust(15_000)
      yield* tick
      const { attempts, intentIds } = yield* pending
      // The version with all may be at the silent endpoint, so nobody leaves the transaction.
      assert.lengthOf(intentIds, 4)
      assert.deepStrictEqual(ownersIn(attempts.at(-1)?.raw ?? "0x"), [address(1), address(2)])
      assert.deepStrictEqual([...new Set((yield* sent).map(({ nonce }) => nonce))], [0n])
      assert.lengthOf(yield* blocking, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("with one sweep is replaced by a self-send", () =>
    Effect.gen(function* () {
      const { accepted, bury, givenUp, hostile, lane, mineLane, pending } = yield* crowd(1)
      yield* relay
      hostile.add(1)
      yield* TestClock.adjust(15_000)
      yield* tick
      const { attempts, kind } = yield* pending
      assert.strictEqual(kind, "cancel")
      assert.strictEqual(parse(accepted.at(-1) ?? "0x").to, lane)
      yield* mineLane({ hash: attempts.at(-1)?.hash ?? "0x" })
      yield* bury(2)
      yield* tick
      assert.isUndefined(yield* givenUp("s1"))
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
    }).pipe(Effect.provide(layer))
  )
})
