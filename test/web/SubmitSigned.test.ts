/** A signed sweep whose submission is not answered is sent again while its quotes live. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { NetworkError, type SignedBatch, type SweepAccepted, type SweepClient } from "../../src/sdk/index.ts"
import { errorOfAnswer } from "../../src/sdk/model/ApiErrors.ts"
import { mayBeAccepted } from "../../src/web/sweep/mayBeAccepted.ts"
import { submitSigned } from "../../src/web/sweep/submitSigned.ts"

const EXPIRES_AT_MS = 120_000

const signed: SignedBatch = { quoteIds: ["a"], signature: "0x1", authorizations: [] }
const accepted: SweepAccepted = { id: "s", intents: [] }
const lost = () => new NetworkError("https://sweep.test/sweeps", new TypeError("network changed"))
const limited = () =>
  errorOfAnswer({ status: 429, reason: "", requestId: undefined, retryAfterSeconds: 90, sweepReason: undefined })

describe("a submission without an answer", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }))
  afterEach(() => void vi.useRealTimers())

  /** Submits to a service that answers by the time, and lets two minutes and more pass. */
  const submitted = async (answer: (nowMs: number) => Error | SweepAccepted) => {
    const keys: Array<string | undefined> = []
    const client: Pick<SweepClient, "submitSweep"> = {
      submitSweep: async (_, { idempotencyKey } = {}) => {
        keys.push(idempotencyKey)
        const given = answer(Date.now())
        if (given instanceof Error) throw given
        return given
      }
    }
    const outcome = submitSigned(client, signed, new Date(EXPIRES_AT_MS)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(EXPIRES_AT_MS + 10_000)
    return { keys, outcome: await outcome }
  }

  it("is sent again under the same key, once the network is back", async () => {
    const { keys, outcome } = await submitted((nowMs) => (nowMs < 10_000 ? lost() : accepted))
    assert.strictEqual(outcome, accepted)
    assert.isAbove(keys.length, 1)
    assert.lengthOf([...new Set(keys)], 1)
    assert.isNotEmpty(keys[0])
  })

  it("is given up when its quotes expire, and may be accepted", async () => {
    const { keys, outcome } = await submitted(lost)
    assert.instanceOf(outcome, NetworkError)
    assert.isTrue(mayBeAccepted(outcome))
    assert.lengthOf(keys, EXPIRES_AT_MS / 2_000)
  })

  it("may be accepted if a later attempt is refused, and is refused if the first one is", async () => {
    const late = await submitted((nowMs) => (nowMs < 10_000 ? lost() : limited()))
    assert.isTrue(mayBeAccepted(late.outcome))
    const first = await submitted(limited)
    assert.lengthOf(first.keys, 1)
    assert.isFalse(mayBeAccepted(first.outcome))
  })
})
