/** That a run of steps sees what its bars are about, and chooses its steps from the seed alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { indexedTo } from "../../chaos/steps/ChainFaults.ts"
import * as Bars from "../../chaos/steps/Bars.ts"
import * as Books from "../../chaos/steps/Books.ts"
import { healthFinding } from "../../chaos/steps/DatabaseFaults.ts"
import * as Deck from "../../chaos/steps/Deck.ts"
import { forked } from "../../chaos/steps/RpcFaults.ts"
import { names } from "../../chaos/steps/PoisonedRows.ts"
import * as Prober from "../../chaos/steps/Prober.ts"

const times = (millis: number) => Array.from({ length: Bars.FEWEST_SAMPLES }, () => millis)

const sound: Bars.Counted = {
  settle: { baseline: times(100), beside: times(150) },
  slowest: { route: "GET /healthz", millis: 5_000, isAnswered: true, step: "kill" },
  late: 0,
  asked: 1,
  lost: [],
  sentTwice: [],
  calledFailed: [],
  unbalanced: [],
  falseAlerts: [],
  lastingAlerts: []
}

const verdicts = (counted: Bars.Counted, isTimed = true) => Bars.judge(counted, isTimed).map(({ verdict }) => verdict)

describe("health while the database takes no writes", () => {
  const health = (status: string) => JSON.stringify({ status: "degraded", database: { status } })
  const cases: ReadonlyArray<readonly [string, number, string, string | undefined]> = [
    ["names the database", 200, health("unavailable"), undefined],
    ["calls it healthy", 200, health("ok"), "slot 1 calls a database healthy that takes no writes"],
    [
      "is refused",
      401,
      '{"error":"unauthorized"}',
      'slot 1 tells no health of its database: 401 {"error":"unauthorized"}'
    ],
    ["is no JSON", 200, "<html>", "slot 1 tells no health of its database: 200 <html>"],
    ["does not come", 0, "TimeoutError", "slot 1 tells no health of its database: 0 TimeoutError"]
  ]
  it.each(cases)("%s", (_, status, text, finding) => {
    assert.strictEqual(healthFinding("slot 1", { status, text }), finding)
  })
})

describe("the bars of a run", () => {
  it("hold at their limits", () => {
    assert.deepStrictEqual(new Set(verdicts(sound)), new Set(["holds"]))
  })

  const broken: ReadonlyArray<Partial<Bars.Counted>> = [
    { settle: { baseline: times(100), beside: times(151) } },
    { late: 1 },
    { lost: ["a"] },
    { sentTwice: ["a"] },
    { calledFailed: ["a"] },
    { unbalanced: ["1 wei"] },
    { falseAlerts: ["lane_low"] },
    { lastingAlerts: ["lane_low"] }
  ]
  it.each(broken.map((change, index) => [index, change] as const))("are violated one by one (%s)", (index, change) => {
    const found = verdicts({ ...sound, ...change })
    assert.deepStrictEqual(
      found.flatMap((verdict, at) => (verdict === "violated" ? [at] : [])),
      [index]
    )
  })

  it("judge no ratio of few samples, and no times on a busy machine", () => {
    const few = { ...sound, settle: { baseline: [100], beside: times(900) } }
    assert.strictEqual(verdicts(few)[0], "not judged")
    assert.deepStrictEqual(verdicts({ ...sound, late: 3 }, false).slice(0, 3), ["not judged", "not judged", "holds"])
  })

  it("take the nearest rank as percentile", () => {
    const samples = Array.from({ length: 200 }, (_, index) => 200 - index)
    assert.strictEqual(Bars.percentile(samples, 0.99), 198)
    assert.strictEqual(Bars.percentile([7], 0.99), 7)
    assert.isUndefined(Bars.percentile([], 0.99))
  })

  it("call a settled intent that failed by its name", () => {
    const intent = {
      chainId: 1,
      orderHash: "0xa0",
      status: "failed",
      builderId: null,
      history: ["Submitted", "Failed"]
    }
    const settled = { chainId: 1, orderHash: "0xa0" }
    const observed = { intents: [{ ...intent, id: "a" }], settlements: [settled] }
    assert.deepStrictEqual(Books.calledFailed(observed as never), ["a"])
    assert.deepStrictEqual(Books.calledFailed({ ...observed, settlements: [] } as never), [])
  })
})

describe("the steps of a run", () => {
  const around = { chainIds: { alpha: 1, beta: 2 } }
  const plan = (seed: string, count: number) =>
    Deck.plan(count, Deck.ALL_KINDS, around).pipe(
      Random.withSeed(seed),
      Effect.map((planned) => planned.map(({ kind, step }) => `${kind}: ${step.name}`))
    )

  it.effect("are the same for a seed, and others for another", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* plan("1", 40), yield* plan("1", 40))
      assert.notDeepEqual(yield* plan("1", 40), yield* plan("2", 40))
    })
  )

  it.effect("have every kind before any comes again", () =>
    Effect.gen(function* () {
      const planned = yield* Deck.plan(Deck.ALL_KINDS.length, Deck.ALL_KINDS, around).pipe(Random.withSeed("4"))
      assert.strictEqual(new Set(planned.map(({ kind }) => kind)).size, Deck.ALL_KINDS.length)
      assert.isTrue(planned.some(({ step }) => step.name.endsWith("32000 ms)")))
    })
  )

  it.effect("have every variant of a kind before any comes again", () =>
    Effect.gen(function* () {
      const variants = { "stale chain": 4, "silent database": 2, "payout reorganised": 5 } as const
      for (const kind of ["stale chain", "silent database", "payout reorganised"] as const) {
        const planned = yield* Deck.plan(variants[kind], [kind], around).pipe(Random.withSeed("5"))
        const names = planned.map(({ step }) => step.name.replace(/, \d+ ms/, ""))
        assert.strictEqual(new Set(names).size, variants[kind], kind)
      }
    })
  )
})

describe("a node whose receipts and logs lag", () => {
  it("shows what it has indexed and nothing younger", () => {
    const [old, young] = [{ blockNumber: "0x5" }, { blockNumber: "0x6" }]
    assert.deepStrictEqual(indexedTo(5n)([old, young]), [old])
    assert.deepStrictEqual(indexedTo(5n)(old), old)
    assert.isNull(indexedTo(5n)(young))
    assert.isNull(indexedTo(5n)(null))
  })
})

describe("a node on a fork", () => {
  const hash = (byte: string) => `0x${byte.repeat(32)}`
  const block = (number: string) => ({ number, hash: hash("aa"), parentHash: hash("bb") })
  it("has other hashes for its own blocks, and for no others", () => {
    assert.deepStrictEqual(forked([block("0x5"), null], 5n), [block("0x5"), null])
    const first = forked(block("0x6"), 5n)
    assert.deepInclude(first, { number: "0x6", parentHash: hash("bb") })
    assert.notDeepInclude(first, { hash: hash("aa") })
    assert.notDeepInclude(forked(block("0x7"), 5n), { parentHash: hash("bb") })
    const log = { blockNumber: "0x6", blockHash: hash("aa"), transactionHash: hash("cc") }
    assert.deepStrictEqual(forked({ logs: [log] }, 5n), {
      logs: [{ ...log, blockHash: Object.entries(first as object).find(([key]) => key === "hash")?.[1] }]
    })
  })
})

describe("an alert about a row", () => {
  const alarm = {
    service: "builder",
    id: "1",
    key: "row_unreadable:12",
    kind: "row_unreadable",
    message: "",
    stands: true
  }
  it("names the row and no other", () => {
    assert.isTrue(names("12")({ ...alarm, details: {} }))
    assert.isFalse(names("1")({ ...alarm, details: {} }))
    assert.isTrue(names("0a-1")({ ...alarm, details: { intentId: "0a-1" } }))
  })
})

describe("the prober", () => {
  const target = { name: "one", url: "http://127.0.0.1:1", isUp: () => true, generation: () => 1 }
  const failing = () => Promise.reject(new Error("cut"))

  it.effect("keeps responses that did not come, with the step in which they were due", () =>
    TestClock.withLive(
      Effect.gen(function* () {
        const prober = Prober.make(true)
        prober.note("full disk")
        yield* prober.time(target, "GET /a", failing)
        yield* prober.time(target, "GET /b", () => Promise.resolve())
        const { asked, late } = prober.report()
        assert.strictEqual(asked, 2)
        assert.deepStrictEqual(
          late.map(({ isAnswered, route, step }) => ({ isAnswered, route, step })),
          [{ isAnswered: false, route: "GET /a of one", step: "full disk" }]
        )
      })
    )
  )

  it.effect("expects none of a process that was killed meanwhile", () =>
    TestClock.withLive(
      Effect.gen(function* () {
        const prober = Prober.make(true)
        let generation = 1
        yield* prober.time({ ...target, generation: () => generation++ }, "GET /a", failing)
        assert.strictEqual(prober.report().asked, 0)
      })
    )
  )
})
