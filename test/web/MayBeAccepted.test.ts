/** A failed submission after which the service may have the sweep. */
import { assert, describe, it } from "vitest"
import { PASSING } from "../../src/domain/SweepRefusal.ts"
import { errorOfAnswer, ServiceError, SweepPostponedError, UnavailableError } from "../../src/sdk/model/ApiErrors.ts"
import { POSTPONEMENTS } from "../../src/sdk/model/Postponement.ts"
import { mayBeAccepted } from "../../src/web/sweep/mayBeAccepted.ts"

const postponed = (reason: string, sweepReason?: string) =>
  errorOfAnswer({ status: 503, reason, requestId: undefined, retryAfterSeconds: 1, sweepReason })

describe("a postponed sweep", () => {
  it("is not stored if the service gives the reason", () => {
    assert.sameMembers([...POSTPONEMENTS], Object.keys(PASSING))
    for (const reason of POSTPONEMENTS) {
      assert.instanceOf(postponed(reason), SweepPostponedError)
      assert.isFalse(mayBeAccepted(postponed(reason)), reason)
    }
  })

  it("may be stored if a gateway gives another reason", () => {
    for (const reason of ["upstream_timeout", "no_healthy_upstream", "service_unavailable"]) {
      assert.instanceOf(postponed(reason), ServiceError, reason)
      assert.instanceOf(postponed(reason, "unavailable"), UnavailableError, reason)
      assert.isTrue(mayBeAccepted(postponed(reason)), reason)
      assert.isTrue(mayBeAccepted(postponed(reason, "unavailable")), reason)
    }
    for (const reason of ["", "Service Unavailable"]) assert.isTrue(mayBeAccepted(postponed(reason)), reason)
  })
})
