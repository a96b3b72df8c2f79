/** Submissions of the sweep page: what the service is known to have, and when it is certain that one never reached it. */
import { assert, describe, it } from "vitest"
import {
  type Intent,
  NetworkError,
  type ReviewedLeg,
  type SweepableToken,
  WaitTimeoutError
} from "../../src/sdk/index.ts"
import { errorOfAnswer, SweepRefusedError } from "../../src/sdk/model/ApiErrors.ts"
import { LASTING } from "../../src/domain/SweepRefusal.ts"
import { explain, isOutdated } from "../../src/web/sweep/explain.ts"
import { mayBeAccepted } from "../../src/web/sweep/mayBeAccepted.ts"
import {
  acceptedIn,
  awaitsRefund,
  bySweep,
  isUnconfirmed,
  lastSeen,
  lostAtMs,
  NOT_SUBMITTED,
  type Submission,
  submissionOf,
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
    const quoted = updatedIn(unanswered, [state("a", "quoted")], 8, 0)
    assert.deepStrictEqual(quoted, unanswered)
    const submitted = updatedIn(quoted, [state("a", "submitted")], 8, 0)
    assert.deepStrictEqual(submitted.map(isUnconfirmed), [false, true])
    assert.isUndefined(submitted[0]?.isUnsent)
    const accepted = acceptedIn(list, ["a"], "s")
    assert.deepStrictEqual(accepted.map(isUnconfirmed), [false, true])
    assert.deepInclude(accepted[0], { sweepId: "s", status: "submitted" })
    assert.isUndefined(accepted[0]?.isUnsent)
  })

  it("that was lost keeps to the others of its signature, and one that arrived is told from them", () => {
    const lost = state("a", "failed", { failureReason: NOT_SUBMITTED })
    const list = updatedIn([sent("a"), sent("b")], [lost], 9, 0)
    assert.deepInclude(list[0], { isUnsent: true, status: "failed", failureReason: NOT_SUBMITTED, endedAtMs: 9 })
    assert.lengthOf(bySweep(list), 1)
    assert.lengthOf(bySweep(updatedIn(list, [state("b", "failed", { failureReason: "expired" })], 9, 0)), 2)
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
    const [ended] = updatedIn([sent("a")], [state("a", "failed", { failureReason: "bridge_refunded", refund })], 9, 0)
    assert.deepInclude(ended, { refunded: "85", refundedToken: "0x1" })
    if (ended === undefined) return assert.fail("it was not stored")
    assert.deepStrictEqual(lastSeen(ended).refund, refund)
  })

  it("awaits the refund of its bridge until that is found", () => {
    const refunded = (more: Partial<Intent>) =>
      updatedIn([sent("a")], [state("a", "failed", { failureReason: "bridge_refunded", ...more })], 9, 0)
    const [waiting] = refunded({})
    if (waiting === undefined) return assert.fail("it was not stored")
    assert.isTrue(awaitsRefund(waiting))
    const refund = { token: "0x1", amount: 85n, txHash: "0x4" } as const
    const paid = updatedIn([waiting], [state("a", "failed", { failureReason: "bridge_refunded", refund })], 10, 0)
    assert.deepStrictEqual(paid.map(awaitsRefund), [false])
    assert.strictEqual(paid[0]?.endedAtMs, 9)
    assert.isFalse(awaitsRefund(sent("a", { status: "failed", failureReason: "expired" })))
  })

  it("keeps the decimals of its token, which no list may have", () => {
    const leg = {
      quoteId: "a",
      expiresAt: new Date(0),
      send: { chainId: 1, token: "0x1", amount: 100n },
      fees: { total: 10n },
      receive: { chainId: 1, token: "0x2", minAmount: 1n, destination: "0x3" }
    } as unknown as ReviewedLeg
    const token = {
      chainId: 1,
      address: "0x1",
      symbol: "FOO",
      decimals: 18,
      priceUsd: null
    } as unknown as SweepableToken
    const wanted = {
      tokens: [{ token, amount: 100n }],
      to: { chainId: 1, address: "0x2" },
      destination: "0x3"
    } as const
    assert.deepInclude(submissionOf(leg, wanted, 0).send, { symbol: "FOO", decimals: 18 })
  })

  it("is timed if the page was open when it was signed", () => {
    const end = (openedAtMs: number) =>
      updatedIn([sent("a", { submittedAtMs: 5 })], [state("a", "delivered")], 9, openedAtMs)[0]?.isTimed
    assert.deepStrictEqual([end(5), end(6)], [true, false])
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
