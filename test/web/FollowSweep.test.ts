/** A sweep that the service accepted is followed to its end, also if the service has forgotten it, or a part of it. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { type Intent, NotFoundError, type SweepClient, WaitTimeoutError } from "../../src/sdk/index.ts"
import { followSweep } from "../../src/web/sweep/followSweep.ts"
import { forgottenAtMs } from "../../src/web/sweep/forgotten.ts"
import { isEnded, type Submission, UNKNOWN_TO_SERVICE, updatedIn } from "../../src/web/sweep/submissions.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const state = (id: string, status: Intent["status"], more: Partial<Intent> = {}): Intent => ({
  id,
  status,
  crossChain: false,
  ...more
})

describe("a sweep that is followed", () => {
  const accepted = (id: string, sweepId = "s"): Submission => ({
    id,
    sweepId,
    submittedAtMs: 0,
    expiresAtMs: 2 * MINUTE,
    send: { chainId: 1, token: "0x1", amount: "1" },
    receive: { chainId: 1, token: "0x2", amount: "1", destination: "0x3" },
    status: "submitted"
  })
  const list = [accepted("a"), accepted("b"), accepted("c", "other")]
  const refused = new NotFoundError({
    status: 404,
    reason: "",
    requestId: undefined,
    retryAfterSeconds: undefined,
    sweepReason: undefined
  })

  beforeEach(() => void vi.useFakeTimers({ now: 0 }))
  afterEach(() => void vi.useRealTimers())

  /** Follows the sweep at a time. The service says these states in turn, and then fails or has no more to say. */
  const followed = async (nowMs: number, says: ReadonlyArray<ReadonlyArray<Intent>>, error?: Error) => {
    vi.setSystemTime(nowMs)
    const client: Pick<SweepClient, "waitForSweep"> = {
      waitForSweep: async (id, { onProgress } = {}) => {
        for (const intents of says) onProgress?.({ id, intents })
        if (error !== undefined) throw error
        return { id, intents: says.at(-1) ?? [] }
      }
    }
    let stored: ReadonlyArray<Submission> = list
    const saw = (intents: ReadonlyArray<Intent>) => void (stored = updatedIn(stored, intents, nowMs, 0))
    const { signal } = new AbortController()
    const outcome = await followSweep(client, "s", { list, signal, saw }).then(
      (intents) => ({ intents }),
      (reason: unknown) => ({ reason })
    )
    return { ...outcome, stored }
  }

  const LATE = forgottenAtMs(accepted("a"))
  const UNKNOWN = { status: "failed" as const, failureReason: UNKNOWN_TO_SERVICE }

  it("can be forgotten well after every deadline only", () => {
    assert.isAbove(LATE, HOUR + 10 * MINUTE)
  })

  it("and that the service no longer knows ends as not known, not before its orders can settle no more", async () => {
    const early = await followed(LATE - 1, [], refused)
    assert.strictEqual("reason" in early && early.reason, refused)
    assert.deepStrictEqual(early.stored, list)
    const late = await followed(LATE, [], refused)
    assert.deepStrictEqual(late.stored.map(isEnded), [true, true, false])
    assert.deepInclude(late.stored[0], { ...UNKNOWN, endedAtMs: LATE })
    assert.lengthOf("intents" in late ? late.intents : [], 2)
  })

  it("and that the service forgot while it was followed keeps the ends that were seen", async () => {
    const { stored } = await followed(LATE, [[state("a", "delivered"), state("b", "submitted")]], refused)
    assert.deepInclude(stored[0], { status: "delivered" })
    assert.deepInclude(stored[1], UNKNOWN)
  })

  it("whose answer leaves out intents ends those alone, and at the same time", async () => {
    for (const known of [[], [state("a", "delivered")], [state("a", "submitted")]]) {
      // oxlint-disable-next-line no-await-in-loop
      const early = await followed(LATE - 1, [known])
      assert.isFalse(early.stored.some(({ failureReason }) => failureReason !== undefined))
    }
    const none = await followed(LATE, [[]])
    assert.deepStrictEqual(none.stored.map(isEnded), [true, true, false])
    const some = await followed(LATE, [[state("a", "submitted")]])
    assert.deepStrictEqual(some.stored.map(isEnded), [false, true, false])
    assert.deepInclude(some.stored[1], UNKNOWN)
  })

  it("and that cannot be read is not forgotten", async () => {
    const failure = new WaitTimeoutError("s", 1, undefined)
    const { stored } = await followed(LATE, [], failure)
    assert.deepStrictEqual(stored, list)
  })

  it("does not become unknown after another tab has seen its end", () => {
    const delivered = updatedIn(list, [state("a", "delivered")], 1, 0)
    const unknown = state("a", "failed", { failureReason: UNKNOWN_TO_SERVICE })
    assert.deepStrictEqual(updatedIn(delivered, [unknown], LATE, 0), delivered)
  })
})
