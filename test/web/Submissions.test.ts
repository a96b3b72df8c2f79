/** Submissions of the sweep page: what the service is known to have, and when it is certain that one never reached it. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import {
  type Intent,
  NetworkError,
  NotFoundError,
  type ReviewedLeg,
  type SweepClient,
  WaitTimeoutError
} from "../../src/sdk/index.ts"
import { errorOfAnswer, SweepRefusedError } from "../../src/sdk/model/ApiErrors.ts"
import { LASTING } from "../../src/domain/SweepRefusal.ts"
import { explain, isOutdated } from "../../src/web/sweep/explain.ts"
import { followIntent } from "../../src/web/sweep/followIntent.ts"
import { mayBeAccepted } from "../../src/web/sweep/mayBeAccepted.ts"
import {
  acceptedIn,
  bySweep,
  isUnconfirmed,
  lostAtMs,
  NOT_SUBMITTED,
  type Submission,
  submissionOf,
  UNKNOWN_TO_SERVICE,
  unansweredIn,
  updatedIn
} from "../../src/web/sweep/submissions.ts"

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

describe("a submission", () => {
  it("is lost a minute after its quote expired", () => {
    assert.strictEqual(lostAtMs(sent("a")), 3 * MINUTE)
  })

  it("is not lost while its request may be under way, whatever the browser's clock says", () => {
    assert.strictEqual(lostAtMs(sent("a", { submittedAtMs: HOUR })), HOUR + MINUTE)
    assert.strictEqual(lostAtMs(sent("a", { unansweredAtMs: 5 * MINUTE })), 6 * MINUTE)
  })

  it("of an earlier version is lost after the longest life of a quote", () => {
    const { expiresAtMs: _, isUnsent: __, ...earlier } = sent("a")
    assert.strictEqual(lostAtMs(earlier), HOUR + MINUTE)
    assert.strictEqual(lostAtMs(sent("a", { expiresAtMs: 1e15 })), HOUR + MINUTE)
  })

  it("is unconfirmed until the service has it, in whatever way that is known", () => {
    const list = [sent("a"), sent("b")]
    const unanswered = unansweredIn(list, ["a"], 7)
    assert.deepStrictEqual(unanswered, [sent("a", { unansweredAtMs: 7 }), sent("b")])
    assert.isTrue(unanswered.every(isUnconfirmed))
    const quoted = updatedIn(unanswered, [state("a", "quoted")], 8)
    assert.deepStrictEqual(quoted, unanswered)
    const submitted = updatedIn(quoted, [state("a", "submitted")], 8)
    assert.deepStrictEqual(submitted.map(isUnconfirmed), [false, true])
    assert.isUndefined(submitted[0]?.isUnsent)
    const accepted = acceptedIn(list, ["a"], "s")
    assert.deepStrictEqual(accepted.map(isUnconfirmed), [false, true])
    assert.deepInclude(accepted[0], { sweepId: "s", status: "submitted" })
    assert.isUndefined(accepted[0]?.isUnsent)
  })

  it("that was lost keeps to the others of its signature, and one that arrived is told from them", () => {
    const lost = state("a", "failed", { failureReason: NOT_SUBMITTED })
    const list = updatedIn([sent("a"), sent("b")], [lost], 9)
    assert.deepInclude(list[0], { isUnsent: true, status: "failed", failureReason: NOT_SUBMITTED, endedAtMs: 9 })
    assert.lengthOf(bySweep(list), 1)
    assert.lengthOf(bySweep(updatedIn(list, [state("b", "failed", { failureReason: "expired" })], 9)), 2)
  })

  it("keeps the least that crosses a bridge, and what the bridge refunded", () => {
    const leg = (chainId: number, via?: { readonly minAmount: bigint }) =>
      ({
        quoteId: "a",
        expiresAt: new Date(0),
        send: { chainId: 1, token: "0x1", amount: 100n },
        fees: { total: 10n },
        receive: { chainId, token: "0x2", minAmount: 1n, destination: "0x3", ...(via === undefined ? {} : { via }) }
      }) as unknown as ReviewedLeg
    const stored = (of: ReviewedLeg) =>
      submissionOf(of, { tokens: [], to: { chainId: 2, address: "0x2" }, destination: "0x3" }, 0).bridged
    assert.isUndefined(stored(leg(1)))
    assert.strictEqual(stored(leg(2)), "90")
    assert.strictEqual(stored(leg(2, { minAmount: 80n })), "80")
    const refund = { token: "0x1", amount: 85n, txHash: "0x4" } as const
    const [ended] = updatedIn([sent("a")], [state("a", "failed", { failureReason: "bridge_refunded", refund })], 9)
    assert.deepInclude(ended, { refunded: "85", refundedToken: "0x1" })
  })

  it("that took too long is said to be with the service only if it is", () => {
    const text = (last: Intent | undefined) => explain(new WaitTimeoutError("a", 1, last))
    assert.include(text(state("a", "submitted")), "The service has your order")
    assert.include(text(state("a", "quoted")), "it is not known that the service has your order")
    assert.include(text(undefined), "it is not known that the service has your order")
  })
})

describe("a refused submission", () => {
  const refused = (reason: string) => errorOfAnswer(answer(400, reason))

  it("is signed again with new quotes only if they can mend it", () => {
    assert.sameMembers(
      Object.keys(LASTING).filter((reason) => isOutdated(refused(reason))),
      ["unknown_quote", "expired_quote", "outdated_contracts", "wrong_delegate", "missing_authorization"]
    )
    assert.isFalse(isOutdated(refused("reason_of_the_future")))
    for (const reason of ["internal error", ""]) {
      assert.isFalse(isOutdated(refused(reason)), "a gateway may have refused it")
      assert.include(explain(refused(reason)), "did not accept the signed sweep. Nothing was sent. Tell the operator")
    }
  })

  it("may be accepted if an earlier attempt was not answered, unless the service itself names the reason", () => {
    const attempts = (last: number, reason: string, first: unknown) => {
      const error = errorOfAnswer(answer(last, reason))
      error.cause = first
      return mayBeAccepted(error)
    }
    const lost = new NetworkError("https://sweep.test/sweeps", new TypeError("connection reset"))
    for (const [status, reason] of [
      [400, ""],
      [400, "internal error"],
      [400, "bad_request"],
      [403, ""],
      [404, ""],
      [408, ""],
      [409, ""],
      [413, ""],
      [422, ""],
      [429, ""],
      [503, "busy"],
      [400, "already_submitted"]
    ] as const) {
      assert.isTrue(attempts(status, reason, lost), `${status} ${reason}`)
      assert.isTrue(attempts(status, reason, errorOfAnswer(answer(502, ""))), `${status} ${reason} after 502`)
    }
    for (const reason of Object.keys(LASTING)) {
      assert.strictEqual(attempts(400, reason, lost), reason === "already_submitted", reason)
    }
    for (const status of [400, 403, 404, 429])
      assert.isFalse(mayBeAccepted(errorOfAnswer(answer(status, ""))), `${status}`)
    assert.isTrue(mayBeAccepted(lost))
  })

  it("is explained by what happened", () => {
    assert.instanceOf(refused("bad_signature"), SweepRefusedError)
    assert.include(explain(refused("expired_quote")), "quotes had expired")
    for (const reason of ["bad_signature", "bad_authorization", "chain_paused", "screening_blocked", "of_the_future"]) {
      assert.notInclude(explain(refused(reason)), "expired", reason)
    }
  })
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
