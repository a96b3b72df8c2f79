/** A few attacks on the relayer's money, and the bars by which all are judged. `./sweep chaos --attacks` plays all of them. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger } from "effect"
import { parseEther } from "viem"
import * as Ledger from "../../chaos/attacks/Ledger.ts"
import * as Market from "../../chaos/attacks/Market.ts"
import { unplayed } from "../../chaos/attacks/BatchAttacks.ts"
import { ATTACKS } from "../../chaos/attacks/Roster.ts"
import * as Reach from "../../chaos/attacks/Reach.ts"
import * as Run from "../../chaos/attacks/Run.ts"
import * as Verdict from "../../chaos/attacks/Verdict.ts"
import { FEWEST_SAMPLES } from "../../chaos/steps/Bars.ts"

const TIMEOUT = 300_000

/** Attacks that are quick, and that must be refused or must cost the relayer something. */
const QUICK = ["gas-price-reader", "gas-bomb", "drained-in-mempool"]

const times = (millis: number) => Array.from({ length: FEWEST_SAMPLES }, () => millis)

const TIMED: Verdict.Timing = { isTimed: true }

const harmless: Verdict.Outcome = {
  name: "any",
  tokens: "listed",
  attackerCost: parseEther("0.01"),
  relayerLoss: parseEther("0.01"),
  budget: parseEther("0.02"),
  quoted: 1,
  submitted: 1,
  carried: 1,
  settled: 0,
  deeds: 0,
  failedDeeds: [],
  refused: {},
  before: times(100),
  during: times(200),
  waited: 0,
  honestFailures: [],
  alerts: [],
  findings: [],
  seconds: 1
}

describe("a self-send", () => {
  const honest = new Set(["0xhonest", "0xother"])
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<string>>, boolean]> = [
    ["replaced honest sweeps", [["0xhonest", "0xother"], ["0xhonest"], []], false],
    ["replaced a sweep of the attacker beside honest ones", [["0xhonest", "0xattacker"], ["0xhonest"], []], true],
    ["replaced nothing that is known", [[]], true]
  ]
  it.each(cases)("that %s is told from the attack's", (_, versions, isOfAttack) => {
    assert.strictEqual(Ledger.isOfAttack(versions, honest), isOfAttack)
  })
})

describe("a sweep beside an attack on the gas market", () => {
  const course = [1n, 1n, 30n, 30n, 1n].map((baseFee, turn) => ({ at: 10_000 * turn, baseFee }))
  const cases: ReadonlyArray<readonly [string, number, number, boolean]> = [
    ["in quiet times", 0, 15_000, false],
    ["that was quoted before a rise waits", 10_500, 20_000, true],
    ["that was quoted before the service saw the rise waits", 11_000, 31_000, true],
    ["that was quoted at the high price", 22_000, 31_000, false],
    ["that was quoted before a fall", 30_500, 41_000, false]
  ]
  it.each(cases)("%s", (_, since, until, waits) => {
    assert.strictEqual(Market.rose(course, since, until), waits)
  })
})

describe("the slowest block", () => {
  const mined = [0, 200, 1_100, 1_300].map((at) => ({ at, baseFee: 1n }))
  const cases: ReadonlyArray<readonly [string, number, number, number]> = [
    ["of a time with a late one", 150, 1_400, 900],
    ["of a time that ends while one is late", 0, 600, 900],
    ["of a time after it", 1_150, 1_400, 200],
    ["of a time without blocks", 2_000, 3_000, 0]
  ]
  it.each(cases)("%s", (_, since, until, millis) => {
    assert.strictEqual(Market.slowestBlock(mined, since, until), millis)
  })
})

describe("the bars of an attack", () => {
  it("hold at their limits", () => {
    assert.deepStrictEqual(Verdict.missed(harmless, TIMED), [])
  })

  const broken: ReadonlyArray<readonly [string, Partial<Verdict.Outcome>]> = [
    ["loss above the budget", { tokens: "unlisted", relayerLoss: parseEther("0.02") + 1n }],
    ["loss above the attacker's cost", { attackerCost: parseEther("0.01") - 1n }],
    ["slow honest sweeps", { during: times(201) }],
    ["failed honest sweeps", { honestFailures: ["a sweep failed"] }],
    ["findings of its own", { findings: ["more quotes than allowed"] }]
  ]
  it.each(broken)("are missed one by one: %s", (_, change) => {
    assert.lengthOf(Verdict.missed({ ...harmless, ...change }, TIMED), 1)
  })

  it("judge no duration of few sweeps unless it is very long, and none on a busy machine", () => {
    const few = (millis: number) => ({ ...harmless, during: times(millis).slice(1) })
    assert.deepStrictEqual(Verdict.missed(few(9_000), TIMED), [])
    assert.lengthOf(Verdict.missed(few(59_000), TIMED), 1)
    assert.lengthOf(Verdict.missed({ ...harmless, before: times(100).slice(1), during: times(59_000) }, TIMED), 1)
    assert.deepStrictEqual(Verdict.missed(few(59_000), { isTimed: false }), [])
    assert.deepStrictEqual(Verdict.missed({ ...harmless, during: times(9_000) }, { isTimed: false }), [])
  })

  it("tell which durations are too few to compare", () => {
    const few = { ...harmless, during: [9_000] }
    assert.include(Verdict.unjudged(few, TIMED), "of 1 honest sweeps, and of 50 before")
    assert.isUndefined(Verdict.unjudged(few, { isTimed: false }))
    assert.isUndefined(Verdict.unjudged(harmless, TIMED))
  })

  it("are missed if no honest sweep ended, unless all of them wait for gas", () => {
    assert.lengthOf(Verdict.missed({ ...harmless, during: [] }, TIMED), 1)
    assert.deepStrictEqual(Verdict.missed({ ...harmless, during: [], waited: 1 }, TIMED), [])
  })

  it("blame the attack for no more than a crowd of the same size does", () => {
    const beside = (crowd: ReadonlyArray<number>, during: number) =>
      Verdict.missed({ ...harmless, during: times(during) }, { isTimed: true, crowd })
    assert.deepStrictEqual(beside(times(240), 300), [])
    assert.lengthOf(beside(times(240), 301), 1)
    assert.lengthOf(beside([9_000], 201), 1, "a crowd of too few samples excuses nothing")
    assert.deepStrictEqual(beside(times(50), 200), [], "a quick crowd makes the bar no stricter")
  })

  it("accept that a loss by unlisted tokens costs the attacker less", () => {
    assert.deepStrictEqual(Verdict.missed({ ...harmless, tokens: "unlisted", attackerCost: 0n }, TIMED), [])
  })
})

describe("an attack", () => {
  const reached: Reach.Counts = {
    quoted: 2,
    submitted: 2,
    carried: 2,
    settled: 1,
    deeds: 1,
    failedDeeds: [],
    refused: { "quote: 422 would_revert": 1 }
  }
  const expected: Required<Reach.Reach> = {
    quoted: 2,
    submitted: 2,
    carried: 2,
    settled: 1,
    failed: 1,
    deeds: 1,
    refused: ["quote: 422 unavailable", "quote: 422 would_revert"]
  }

  it("that reaches what it expects has no finding", () => {
    assert.deepStrictEqual(Reach.unreached(expected, reached), [])
    assert.deepStrictEqual(Reach.unreached({}, { ...reached, deeds: 0, failedDeeds: ["nonce too low"] }), [])
  })

  const idle: ReadonlyArray<readonly [Partial<Reach.Counts>, string]> = [
    [{ quoted: 1 }, "1 sweeps were quoted, of at least 2 that it needs"],
    [{ submitted: 0 }, "0 sweeps were submitted, of at least 2 that it needs"],
    [{ carried: 1, settled: 0 }, "1 sweeps were mined, of at least 2 that it needs"],
    [{ settled: 0 }, "0 sweeps settled, of at least 1 that it needs"],
    [{ settled: 2 }, "0 sweeps were mined and did not settle, of at least 1 that it needs"],
    [{ deeds: 0 }, "0 deeds were done, of at least 1 that it needs"],
    [
      { refused: { "quote: 422 tier: missing": 9 } },
      "nothing was refused by quote: 422 unavailable or quote: 422 would_revert"
    ]
  ]
  it.each(idle)("has a finding if it does not: %j", (change, finding) => {
    assert.include(Reach.unreached(expected, { ...reached, ...change }), finding)
  })

  it("tells why its deeds failed", () => {
    const [, cause] = Reach.unreached(expected, { ...reached, deeds: 0, failedDeeds: ["nonce too low"] })
    assert.strictEqual(cause, "1 deeds failed, first: nonce too low")
  })
})

describe("an attack by accounts that burn all gas", () => {
  const played = { redelegated: 3, burned: 4, isBooked: true }
  const idle = [{ redelegated: 0 }, { burned: 0 }, { isBooked: false }]

  it("is judged if it was played", () => {
    assert.deepStrictEqual(unplayed(played), [])
  })

  it.each(idle)("has a finding if nothing happened: %j", (change) => {
    assert.lengthOf(unplayed({ ...played, ...change }), 1)
  })
})

describe("the attacks", () => {
  it("are at least 25, each with a name of its own", () => {
    assert.isAtLeast(ATTACKS.length, 25)
    assert.strictEqual(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length)
  })
})

layer(Layer.mergeAll(BunServices.layer, Logger.layer([])), { excludeTestServices: true })("A run of attacks", (it) => {
  it.effect(
    "keeps losses within their budgets while honest sweeps settle",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-attacks-" })
        const said: Array<string> = []
        const { missed, outcomes } = yield* Run.play(
          {
            attacks: ATTACKS.filter(({ name }) => QUICK.includes(name)),
            size: 2,
            sybils: 0,
            calmMillis: 500,
            isTimed: false,
            directory
          },
          (line) => Effect.sync(() => void said.push(line))
        )
        assert.deepStrictEqual(missed, [])
        const log = said.join("\n")
        assert.deepStrictEqual(
          outcomes.map(({ name }) => name),
          QUICK
        )
        for (const { budget, findings, honestFailures, relayerLoss } of outcomes) {
          assert.deepStrictEqual([...findings, ...honestFailures], [], log)
          assert.isTrue(relayerLoss <= budget, log)
        }
        const [reader, bomb, drained] = outcomes
        // Nothing tells the rehearsal from the transaction, so that this token gets no quote.
        assert.strictEqual(reader?.quoted, 0, log)
        assert.isAbove(bomb?.deeds ?? 0, 0, log)
        assert.isAbove((bomb?.carried ?? 0) - (bomb?.settled ?? 0), 0, log)
        // A loss of 0 in all cases would mean that the chain is not read.
        assert.isAbove(drained?.carried ?? 0, 0, log)
        assert.isTrue((drained?.relayerLoss ?? 0n) > 0n, log)
        assert.isAbove(outcomes.flatMap(({ before, during }) => [...before, ...during]).length, 5, log)
      }).pipe(Effect.scoped),
    TIMEOUT
  )
})
