import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Intent from "../../src/domain/Intent.ts"

const txHash = `0x${"12".repeat(32)}` as const
const STATUSES = Intent.IntentStatus.literals
const EVENTS: ReadonlyArray<Intent.IntentEvent> = [
  { _tag: "Submitted" },
  { _tag: "SettledAtSource", txHash },
  { _tag: "Delivered", txHash },
  ...Intent.FailureReason.literals.map((reason) => ({ _tag: "Failed" as const, reason }))
]

/** Every move there is; what is not here is illegal. */
const LEGAL: Readonly<Record<string, Intent.IntentStatus>> = {
  "quoted Submitted": "submitted",
  "submitted SettledAtSource": "settled_source",
  "submitted Failed": "failed",
  "settled_source Delivered": "delivered",
  "settled_source Failed": "failed"
}

const RANK: Readonly<Record<Intent.IntentStatus, number>> = {
  quoted: 0,
  submitted: 1,
  settled_source: 2,
  delivered: 3,
  failed: 3
}

describe("transition", () => {
  it.each(STATUSES.flatMap((from) => EVENTS.map((event) => [from, event] as const)))(
    "moves %s on %o as the table says, or refuses",
    (from, event) => {
      const to = LEGAL[`${from} ${event._tag}`]
      expect(Intent.transition(from, event)).toEqual(
        to === undefined ? Result.fail(new Intent.IllegalTransition({ from, event: event._tag })) : Result.succeed(to)
      )
    }
  )

  const Step = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: EVENTS.length - 1 }))

  it.prop("only ever moves forward, and never out of a terminal status", [Schema.Array(Step)], ([steps]) => {
    let status: Intent.IntentStatus = "quoted"
    for (const step of steps) {
      const next = Intent.transition(status, EVENTS[step] ?? { _tag: "Submitted" })
      if (Result.isFailure(next)) continue
      expect(Intent.isTerminal(status)).toBe(false)
      expect(RANK[next.success]).toBeGreaterThan(RANK[status])
      status = next.success
    }
  })

  it("reaches every status from the first one", () => {
    const reached = new Set<Intent.IntentStatus>(["quoted"])
    for (const from of reached) {
      for (const event of EVENTS) Result.map(Intent.transition(from, event), (to) => reached.add(to))
    }
    expect(reached).toEqual(new Set(STATUSES))
    expect(STATUSES.filter(Intent.isTerminal)).toEqual(["delivered", "failed"])
  })
})

describe("transitions", () => {
  it("applies events in a row, or none", () => {
    const [submitted, settled, delivered] = EVENTS as [Intent.IntentEvent, Intent.IntentEvent, Intent.IntentEvent]
    expect(Intent.transitions("submitted", [settled, delivered])).toEqual(Result.succeed("delivered"))
    expect(Intent.transitions("quoted", [])).toEqual(Result.succeed("quoted"))
    expect(Intent.transitions("quoted", [submitted, delivered, settled])).toEqual(
      Result.fail(new Intent.IllegalTransition({ from: "submitted", event: "Delivered" }))
    )
  })
})

describe("what the stores derive from the table", () => {
  it("knows the statuses from which events are legal in a row", () => {
    expect(Intent.legalFrom([])).toEqual(STATUSES)
    expect(Intent.legalFrom([{ _tag: "Failed", reason: "expired" }])).toEqual(["submitted", "settled_source"])
    expect(
      Intent.legalFrom([
        { _tag: "SettledAtSource", txHash },
        { _tag: "Failed", reason: "expired" }
      ])
    ).toEqual(["submitted"])
    expect(
      Intent.legalFrom([
        { _tag: "Delivered", txHash },
        { _tag: "Failed", reason: "expired" }
      ])
    ).toEqual([])
  })

  it("leads to the status that the event sets", () => {
    for (const from of STATUSES) {
      for (const event of EVENTS) {
        Result.map(Intent.transition(from, event), (to) => expect(Intent.effectOf(event).status).toBe(to))
      }
    }
  })

  it("sets a transaction for each side, the amount that arrived, and the reason of a failure", () => {
    const other = `0x${"34".repeat(32)}` as const
    expect(Intent.effectsOf([])).toEqual({})
    expect(
      Intent.effectsOf([
        { _tag: "SettledAtSource", txHash },
        { _tag: "Delivered", txHash: other, amountOut: 7n }
      ])
    ).toEqual({ status: "delivered", txHash, deliveryTxHash: other, amountOut: 7n })
    expect(Intent.effectsOf([{ _tag: "Failed", reason: "expired" }])).toEqual({
      status: "failed",
      failureReason: "expired"
    })
  })

  it("ranks a status behind those that lead to it", () => {
    expect(Object.fromEntries(STATUSES.map((status) => [status, Intent.stepsTo(status)]))).toEqual(RANK)
  })
})
