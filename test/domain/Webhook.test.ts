import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { everyDay, startOfDay, successRateBps } from "../../src/domain/Sweep.ts"
import { SweepEvent, SweepStatus } from "../../src/domain/SweepEvent.ts"
import {
  eventMessage,
  type Failing,
  FAILING_MILLIS,
  health,
  isWanted,
  keyOf,
  nextStep,
  printable,
  RETRY_MILLIS,
  SECRET_BYTES,
  secretOf,
  signedContent,
  typeOf,
  WebhookEventType
} from "../../src/domain/Webhook.ts"
import { event } from "../support/BuilderFixtures.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Status = Schema.Union([upTo(599), Schema.Undefined])
const DAY = 24 * 3_600_000

const outcomeOf = (statusCode: number | undefined) => (statusCode === undefined ? {} : { statusCode })

describe("the plan of a message", () => {
  it.prop("ends with a success, a 410 or the tenth failure, and with nothing else", [Status, upTo(12)], (given) => {
    const [statusCode, failures] = given
    const { _tag } = nextStep(outcomeOf(statusCode), failures, 0, 0)
    const isSuccess = statusCode !== undefined && statusCode >= 200 && statusCode <= 299
    const expected = isSuccess ? "Delivered" : statusCode === 410 || failures >= 9 ? "GivenUp" : "Retry"
    assert.strictEqual(_tag, expected)
  })

  it.prop(
    "waits no shorter than the standard says, and a tenth longer at most",
    [upTo(8), Share],
    ([failures, random]) => {
      const next = nextStep({}, failures, 1_000, random)
      const delay = RETRY_MILLIS[failures] ?? 0
      if (next._tag !== "Retry") return assert.fail(next._tag)
      assert.isAtLeast(next.atMs, 1_000 + delay)
      assert.isAtMost(next.atMs, 1_000 + delay * 1.1 + 1)
    }
  )
})

describe("the health of an endpoint", () => {
  const Attempts = Schema.Array(
    Schema.Struct({ afterMs: upTo(3 * DAY), statusCode: Schema.Literals([200, 500, 503]) })
  ).check(Schema.isMaxLength(40))

  it.prop(
    "is given up only after five days in which nothing succeeded and attempts went on",
    [Attempts],
    ([attempts]) => {
      let now = 0
      let failing: Failing | undefined
      let lastSuccess = 0
      const times: Array<number> = []
      for (const { afterMs, statusCode } of attempts) {
        now += afterMs
        const after = health(failing, { statusCode }, now)
        if (statusCode === 200) {
          lastSuccess = now
          times.length = 0
          assert.deepStrictEqual(after, {})
        } else {
          if (now - (times.at(-1) ?? now) > 2 * DAY) times.length = 0
          times.push(now)
          assert.strictEqual(after.failing?.sinceMs, times[0])
          assert.strictEqual(after.disable === "failing", now - (times[0] ?? now) >= FAILING_MILLIS)
          if (after.disable !== undefined) assert.isAtLeast(now - lastSuccess, FAILING_MILLIS)
        }
        failing = after.failing
      }
    }
  )

  it("ends at once with a 410", () => {
    assert.strictEqual(health(undefined, { statusCode: 410 }, 5).disable, "gone")
  })
})

describe("a message", () => {
  const Bytes = Schema.Array(upTo(255)).check(Schema.isMinLength(SECRET_BYTES), Schema.isMaxLength(SECRET_BYTES))

  it.prop("is signed as the standard's own library does", [Bytes, SweepStatus, upTo(2_000_000_000)], (given) => {
    const [bytes, status, seconds] = given
    const secret = secretOf(Uint8Array.from(bytes))
    assert.deepStrictEqual([...keyOf(secret)], bytes)
    const { id, payload } = eventMessage(event(status))
    const content = new TextDecoder().decode(signedContent(id, seconds, payload))
    assert.strictEqual(content, `${id}.${seconds}.${payload}`)
    const hmac = new Bun.CryptoHasher("sha256", keyOf(secret)).update(content).digest("base64")
    const theirs = new Webhook(Redacted.value(secret)).sign(id, new Date(seconds * 1000), payload)
    assert.strictEqual(`v1,${hmac}`, theirs)
  })

  it.prop("says everything of its event", [SweepStatus], ([status]) => {
    const told = event(status, { atMs: 1_767_225_600_000 })
    const { payload, type } = eventMessage(told)
    const read = JSON.parse(payload)
    assert.strictEqual(type, typeOf(status))
    assert.deepInclude(read, { type, timestamp: "2026-01-01T00:00:00.000Z" })
    assert.deepStrictEqual(Schema.decodeUnknownSync(SweepEvent)(read.data), told)
  })

  it("is wanted by those that name its type, or none", () => {
    for (const type of WebhookEventType.literals) {
      assert.isTrue(isWanted([], type))
      assert.isTrue(isWanted([type], type))
      assert.isFalse(
        isWanted(
          WebhookEventType.literals.filter((other) => other !== type),
          type
        )
      )
    }
    assert.isTrue(isWanted(["sweep.failed"], "webhook.test"))
  })
})

describe("the text of a receiver", () => {
  it("has no control characters but tabs and ends of lines, and keeps its length", () => {
    const controls = String.fromCharCode(...Array.from({ length: 0xa0 }, (_, code) => code))
    const shown = printable(controls)
    assert.strictEqual(shown.length, controls.length)
    assert.strictEqual(shown.replaceAll("\uFFFD", "").slice(0, 4), "\t\n\r ")
    assert.isBelow(Buffer.byteLength(JSON.stringify(printable("\u0001".repeat(500)))), 1_510)
    assert.strictEqual(printable("Grüße 😀 \\"), "Grüße 😀 \\")
  })
})

describe("an overview", () => {
  it.prop("has a rate of successes between none and all", [upTo(1_000_000), upTo(1_000_000)], ([delivered, failed]) => {
    const rate = successRateBps({ submitted: 7, settled_source: 3, delivered, failed })
    if (delivered + failed === 0) return assert.isUndefined(rate)
    assert.isTrue(rate !== undefined && rate >= 0 && rate <= 10_000)
    assert.strictEqual(rate === 10_000, failed === 0)
  })

  it.prop("has every day once, in order", [upTo(4_000_000_000), upTo(400)], ([seconds, back]) => {
    const now = seconds * 1_000
    const days = everyDay(
      [{ day: new Date(now).toISOString().slice(0, 10), sweeps: 3, delivered: 2, failed: 1 }],
      startOfDay(now, back),
      now + 1
    )
    assert.strictEqual(days.length, back + 1)
    assert.deepStrictEqual(
      days.map(({ day }) => day),
      [...new Set(days.map(({ day }) => day))].sort()
    )
    assert.strictEqual(days.at(-1)?.sweeps, 3)
  })
})
