/** A signed intent is followed to its end, or until it is certain that it never reached the service. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { type Intent, NotFoundError, type SweepClient, WaitTimeoutError } from "../../src/sdk/index.ts"
import { followIntent } from "../../src/web/sweep/followIntent.ts"
import { NOT_SUBMITTED, type Submission, UNKNOWN_TO_SERVICE } from "../../src/web/sweep/submissions.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const sent = (id: string, more: Partial<Submission> = {}): Submission => ({
  id,
  isUnsent: true,
  submittedAtMs: 0,
  expiresAtMs: 2 * MINUTE,
  send: { chainId: 1, token: "0x1", amount: "1" },
  receive: { chainId: 1, token: "0x2", amount: "1", destination: "0x3" },
  status: "quoted",
  ...more
})

const state = (id: string, status: Intent["status"], more: Partial<Intent> = {}): Intent => ({
  id,
  status,
  crossChain: false,
  ...more
})

const answer = (status: number, reason: string) => ({
  status,
  reason,
  requestId: undefined,
  retryAfterSeconds: undefined,
  sweepReason: undefined
})

describe("an intent that is followed", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }))
  afterEach(() => void vi.useRealTimers())

  /** A service that says this of the intent by the time, and asks the client to wait while the intent has not ended. */
  const service = (at: (nowMs: number) => Intent["status"] | "unknown" | "silent") => {
    let asked = 0
    const client: Pick<SweepClient, "waitForIntent"> = {
      waitForIntent: async (id, { onProgress, signal } = {}) => {
        asked++
        for (;;) {
          const status = at(Date.now())
          if (status === "unknown") throw new NotFoundError(answer(404, ""))
          if (status !== "silent") {
            onProgress?.(state(id, status))
            if (status === "delivered") return state(id, status)
          }
          // oxlint-disable-next-line no-await-in-loop
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          signal?.throwIfAborted()
          if (Date.now() >= 15 * MINUTE) throw new WaitTimeoutError(id, 15 * MINUTE, undefined)
        }
      }
    }
    return { client, asked: () => asked }
  }

  const following = (client: Pick<SweepClient, "waitForIntent">, submission: Submission) => {
    const seen: Array<Intent["status"]> = []
    const leaving = new AbortController()
    let end: Intent | undefined
    let error: unknown
    const done = followIntent(client, submission, { signal: leaving.signal, saw: ({ status }) => seen.push(status) })
    void done.then(
      (intent) => void (end = intent),
      (reason) => void (error = reason)
    )
    return { seen, leave: () => leaving.abort(), end: () => end, error: () => error }
  }

  it("and stays quoted is lost after its expiry and a minute, not before", async () => {
    const { client } = service(() => "quoted")
    const { end } = following(client, sent("a"))
    await vi.advanceTimersByTimeAsync(3 * MINUTE - 2_000)
    assert.isUndefined(end())
    await vi.advanceTimersByTimeAsync(4_000)
    assert.deepInclude(end(), { status: "failed", failureReason: NOT_SUBMITTED })
  })

  it("is lost also if it was stored without an expiry, and as sent", async () => {
    const { expiresAtMs: _, isUnsent: __, ...earlier } = sent("a", { submittedAtMs: -2 * HOUR })
    const { client } = service(() => "quoted")
    const { end } = following(client, earlier)
    await vi.advanceTimersByTimeAsync(2_000)
    assert.strictEqual(end()?.failureReason, NOT_SUBMITTED)
  })

  it("is lost if the service does not know it, after its expiry and a minute, not before", async () => {
    const { asked, client } = service(() => "unknown")
    const { end } = following(client, sent("a"))
    await vi.advanceTimersByTimeAsync(3 * MINUTE - 2_000)
    assert.isUndefined(end())
    await vi.advanceTimersByTimeAsync(4_000)
    assert.strictEqual(end()?.failureReason, NOT_SUBMITTED)
    assert.isAtMost(asked(), 25)
  })

  it("and arrives in the last moment is followed to its end", async () => {
    const { client } = service((now) =>
      now < 2 * MINUTE ? "quoted" : now < 20 * MINUTE && now > 4 * MINUTE ? "delivered" : "submitted"
    )
    const { end, seen } = following(client, sent("a"))
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    assert.strictEqual(end()?.status, "delivered")
    assert.include(seen, "submitted")
  })

  it("is not lost while the service says nothing of it", async () => {
    const { client } = service(() => "silent")
    const { end, error } = following(client, sent("a"))
    await vi.advanceTimersByTimeAsync(16 * MINUTE)
    assert.isUndefined(end())
    assert.instanceOf(error(), WaitTimeoutError)
  })

  it("is not lost if the service once had it, or confirmed its sweep", async () => {
    for (const submission of [sent("a", { status: "submitted" }), sent("a", { sweepId: "s" })]) {
      const { client } = service(() => "unknown")
      const { end, error } = following(client, submission)
      // oxlint-disable-next-line no-await-in-loop
      await vi.advanceTimersByTimeAsync(10 * MINUTE)
      assert.isUndefined(end())
      assert.instanceOf(error(), NotFoundError)
    }
  })

  it("that the service once had is not known any more once no order can settle, and was never lost", async () => {
    const submission = sent("a", { status: "submitted", txHash: "0x7", submittedAtMs: -2 * HOUR })
    const { client } = service(() => "unknown")
    const { end } = following(client, submission)
    await vi.advanceTimersByTimeAsync(0)
    assert.deepInclude(end(), { status: "failed", failureReason: UNKNOWN_TO_SERVICE, txHash: "0x7" })
  })

  it("that ended and is read again for its refund stays as it is if the service has forgotten it", async () => {
    const ended = sent("a", { status: "failed", failureReason: "bridge_refunded", submittedAtMs: -2 * HOUR })
    const { client } = service(() => "unknown")
    const { end, seen } = following(client, ended)
    await vi.advanceTimersByTimeAsync(0)
    assert.deepInclude(end(), { status: "failed", failureReason: "bridge_refunded" })
    assert.deepStrictEqual(seen, [])
  })

  it("is left with its component", async () => {
    const { client } = service(() => "quoted")
    const { end, error, leave } = following(client, sent("a"))
    await vi.advanceTimersByTimeAsync(5_000)
    leave()
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    assert.isUndefined(end())
    assert.instanceOf(error(), DOMException)
  })
})
