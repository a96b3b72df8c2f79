import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import {
  isCrowded,
  LATE_MILLIS,
  LEAST_ROOM,
  MOST_REST_MILLIS,
  MOST_RUNNING,
  MOST_SPACING_MILLIS,
  MOST_WAITING,
  type Present,
  restedAtMs,
  START,
  STANDINGS,
  type Step,
  step,
  type Turns
} from "../../src/domain/FairTurns.ts"
import { arrived, ended, process } from "../support/FairTurnsProcess.ts"

const IDLE = 0
const LATE = 2 * LATE_MILLIS

/** A late process whose room has shrunk to one place, which an unlisted request has, beside an owner who paid. */
const crowded = () => {
  const busy = process()
  const first = busy.arrive("unlisted", "flood")
  busy.present.delayMillis = LATE
  busy.arrive("paid", "honest")
  busy.present.nowMs += 300
  busy.arrive("paid", "honest")
  return { ...busy, first: first.number }
}

describe("a process that keeps up", () => {
  it("begins every request of an owner at once while nobody of a better standing asks", () => {
    for (const standing of STANDINGS) {
      const idle = process()
      for (let each = 0; each < 20; each++) {
        const { begun, number } = idle.arrive(standing)
        assert.deepStrictEqual(begun, [number])
      }
      assert.isFalse(isCrowded(idle.turns(), IDLE))
    }
  })

  it("begins new owners at once while nobody of a better standing asks", () => {
    const { arrive } = process()
    for (const owner of ["first", "second", "third"]) assert.lengthOf(arrive("listed", "a", owner).begun, 1)
  })

  it("runs a bounded number at once, of whatever standing", () => {
    const full = process()
    for (let each = 0; each < MOST_RUNNING; each++) assert.lengthOf(full.arrive("paid").begun, 1)
    const { begun, number } = full.arrive("paid")
    assert.isEmpty(begun)
    assert.deepStrictEqual(full.end(0).begun, [number])
  })
})

describe("a late process", () => {
  it("lets requests of the best standing begin at once, and lower ones wait for the room", () => {
    const busy = crowded()
    assert.isEmpty(busy.arrive("unlisted").begun)
    assert.isEmpty(busy.arrive("listed").begun)
    assert.lengthOf(busy.arrive("paid").begun, 1)
  })

  it("limits nobody without a better standing to protect", () => {
    const busy = process()
    busy.present.delayMillis = LATE
    for (let each = 0; each < 50; each++) {
      busy.present.nowMs += 300
      assert.lengthOf(busy.arrive("listed").begun, 1)
    }
  })

  it("gives the room to the better standing first", () => {
    const busy = crowded()
    busy.arrive("unlisted", "x")
    const listed = busy.arrive("listed", "y")
    assert.deepStrictEqual(busy.end(busy.first).begun, [listed.number])
  })

  it("gives each network a turn, whatever the number of its requests", () => {
    const busy = crowded()
    const flood = Array.from({ length: 50 }, () => busy.arrive("unlisted", "flood").number)
    const other = busy.arrive("unlisted", "other").number
    const [next] = busy.end(busy.first).begun
    assert.include([flood[0], other], next)
    const [after] = busy.end(next ?? -1).begun
    assert.include([next, after], other)
  })

  it("gives every fourth turn to the request that has waited longest", () => {
    const busy = crowded()
    const oldest = busy.arrive("unlisted", "x").number
    let running = busy.first
    const order: Array<number> = []
    for (let turn = 0; turn < 4; turn++) {
      busy.arrive("listed", `y${turn}`)
      running = busy.end(running).begun[0] ?? -1
      order.push(running)
    }
    assert.include(order, oldest)
  })

  it("lets the lower ones go on once nobody better has asked for two seconds", () => {
    const busy = crowded()
    const waits = busy.arrive("unlisted").number
    for (const { number, rank } of busy.turns().running) if (rank === 0) busy.end(number)
    assert.isTrue(busy.turns().waiting.some(({ number }) => number === waits))
    busy.present.nowMs += 2_001
    assert.include(busy.arrive("unlisted").begun, waits)
  })

  it("rests after each request that had the last place, for three times as long as it took while that does not help", () => {
    const busy = crowded()
    let running = busy.first
    for (const took of [100, 100, 40]) {
      const waits = busy.arrive("unlisted", "x").number
      busy.present.nowMs += 300
      busy.arrive("paid", "honest")
      busy.end(running)
      busy.present.nowMs += MOST_REST_MILLIS
      assert.deepStrictEqual(busy.rest().begun, [waits])
      busy.present.nowMs += took
      running = waits
    }
    assert.strictEqual(busy.turns().room, LEAST_ROOM)
    const waits = busy.arrive("unlisted", "x").number
    assert.isEmpty(busy.end(running).begun)
    busy.present.nowMs += 119
    assert.isEmpty(busy.rest().begun)
    assert.lengthOf(busy.arrive("paid", "honest").begun, 1)
    busy.present.nowMs += 1
    assert.deepStrictEqual(busy.rest().begun, [waits])
  })

  it("rests no more once it keeps up", () => {
    const busy = crowded()
    busy.present.delayMillis = IDLE
    for (let each = 0; each < 4; each++) {
      busy.present.nowMs += 300
      busy.arrive("paid", "honest")
    }
    assert.isAtLeast(busy.turns().room, 1)
    const waits = busy.arrive("unlisted", "x")
    assert.include([...waits.begun, ...busy.end(busy.first).begun], waits.number)
  })

  it("gives more room once it keeps up again", () => {
    const busy = crowded()
    busy.arrive("unlisted", "x")
    busy.arrive("unlisted", "y")
    busy.present.delayMillis = IDLE
    const room = busy.turns().room
    busy.present.nowMs += 300
    assert.lengthOf(busy.arrive("paid").begun, 2)
    assert.strictEqual(busy.turns().room, room + 1)
  })

  it("refuses the requests of the network that waits with the most", () => {
    const busy = crowded()
    const flood = Array.from({ length: MOST_WAITING }, () => busy.arrive("unlisted", "flood").number)
    const { number, refused } = busy.arrive("unlisted", "other")
    assert.deepStrictEqual(refused, flood.slice(-1))
    assert.isTrue(busy.turns().waiting.some((each) => each.number === number))
  })
})

const Events = Schema.Array(
  Schema.Struct({
    standing: Schema.Literals(STANDINGS),
    network: Schema.Literals(["a", "b", "c"]),
    owner: Schema.Literals(["x", "y", "z"]),
    isEnd: Schema.Boolean,
    which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })),
    isLate: Schema.Boolean,
    pauseMillis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
  })
).check(Schema.isMaxLength(120))

/** Applies drawn events, and calls `look` after each. */
const played = (drawn: typeof Events.Type, look: (done: Step, before: Turns, present: Present) => void) => {
  let turns: Turns = START
  let nowMs = 0
  for (const [number, { isEnd, isLate, network, owner, pauseMillis, standing, which }] of drawn.entries()) {
    nowMs += pauseMillis
    const known = [...turns.running, ...turns.waiting]
    const ending = isEnd ? known[which % Math.max(1, known.length)] : undefined
    const event = ending === undefined ? arrived(number, standing, network, owner) : ended(ending.number)
    const present = { nowMs, delayMillis: isLate ? LATE : IDLE }
    const before = turns
    const done = step(turns, event, present)
    turns = done.turns
    look(done, before, present)
  }
}

describe("any sequence of events", () => {
  it.prop(
    "keeps each request in one place, until it ends or is refused",
    { drawn: Arbitrary.schema(Events) },
    ({ drawn }) => {
      played(drawn, ({ begun, refused, turns }) => {
        const running = turns.running.map(({ number }) => number)
        const waiting = turns.waiting.map(({ number }) => number)
        assert.strictEqual(
          new Set([...running, ...waiting, ...refused]).size,
          running.length + waiting.length + refused.length
        )
        for (const number of begun) assert.include(running, number)
      })
    }
  )

  it.prop("lets all wait for the end of a rest at most", { drawn: Arbitrary.schema(Events) }, ({ drawn }) => {
    played(drawn, ({ turns }, _, { nowMs }) => {
      assert.isAtLeast(turns.room, LEAST_ROOM)
      assert.isAtMost(turns.restUntilMs, nowMs + MOST_REST_MILLIS)
      assert.isAtMost(turns.spaced.untilMs, nowMs + MOST_SPACING_MILLIS)
      if (turns.waiting.length === 0 || turns.running.length > 0) return
      assert.isAbove(restedAtMs(turns), nowMs)
      const rested = step(turns, { _tag: "Rested" }, { nowMs: restedAtMs(turns), delayMillis: LATE })
      assert.isNotEmpty(rested.begun)
    })
  })

  it.prop("lets a request of the best standing begin at once", { drawn: Arbitrary.schema(Events) }, ({ drawn }) => {
    played(drawn, ({ turns }) => {
      assert.isFalse(turns.waiting.some(({ rank }) => rank === 0))
    })
  })

  it.prop("begins no request of lower standing beyond the room", { drawn: Arbitrary.schema(Events) }, ({ drawn }) => {
    played(drawn, ({ begun, turns }) => {
      const best = Math.min(...turns.running.map(({ rank }) => rank), ...turns.waiting.map(({ rank }) => rank))
      const lower = turns.running.filter(({ rank }) => rank > best)
      const isNew = lower.some(({ number }) => begun.includes(number))
      if (isNew) assert.isAtMost(lower.length, Math.max(1, turns.room))
    })
  })
})
