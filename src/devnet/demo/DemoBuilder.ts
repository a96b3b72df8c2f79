/** Builders of the demo. The admin API registers them, and their ledger is read from it. */
import { Effect, Schedule, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import type { PayoutMode } from "../../domain/Builder.ts"
import type { DevInfo } from "../DevInfo.ts"
import * as Exchange from "./Exchange.ts"
import type { Check } from "./Reconciliation.ts"

/** Markup of 0.4 %. */
const MARKUP_BPS = 40

const POLL = "200 millis"
const PATIENCE = "15 seconds"

const Totals = Schema.Struct({
  totals: Schema.Array(Schema.Struct({ token: Schema.String, earned: Uint256, paid: Uint256, owed: Uint256 }))
})

export interface DemoBuilder {
  readonly apiKey: string
  /** Waits until the fee is in the ledger, then compares it with the fee of the order. */
  readonly checks: (
    token: Address.Address,
    fee: bigint
  ) => Effect.Effect<ReadonlyArray<Check>, Exchange.UnexpectedAnswer>
}

/** Registers a builder with a payout mode. `payoutAddress` must be new. */
export const register = Effect.fnUntraced(function* (
  info: DevInfo,
  payoutAddress: Address.Address,
  payoutMode: PayoutMode
) {
  const exchange = yield* Exchange.make
  const authorized = HttpClientRequest.bearerToken(info.builderAdminToken)
  const id = `demo-${payoutMode}`
  const { apiKey } = yield* exchange(
    HttpClientRequest.post(`${info.builderUrl}/builders`).pipe(
      authorized,
      HttpClientRequest.bodyJsonUnsafe({
        id,
        name: `Demo builder, paid by ${payoutMode === "onchain" ? "the sweep itself" : "the ledger"}`,
        builderBps: MARKUP_BPS,
        maxBuilderBps: MARKUP_BPS,
        payoutAddress
      })
    ),
    Schema.Struct({ apiKey: Schema.String })
  )
  yield* exchange(
    HttpClientRequest.patch(`${info.builderUrl}/admin/builders/${id}`).pipe(
      authorized,
      HttpClientRequest.bodyJsonUnsafe({ payoutMode })
    ),
    Schema.Struct({ id: Schema.String })
  )

  const read = exchange(
    HttpClientRequest.get(`${info.builderUrl}/admin/builders/${id}/accruals`).pipe(authorized),
    Totals
  )
  const checks: DemoBuilder["checks"] = Effect.fnUntraced(function* (token, fee) {
    const { totals } = yield* read.pipe(
      Effect.repeat({ schedule: Schedule.spaced(POLL), until: ({ totals }) => totals.length > 0 }),
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => read })
    )
    const booked = totals.find((total) => total.token === token) ?? { earned: 0n, paid: 0n, owed: 0n }
    const expected = payoutMode === "onchain" ? { paid: fee, owed: 0n } : { paid: 0n, owed: fee }
    return [
      { name: "ledger: builder earned builderFee", expected: fee, actual: booked.earned },
      { name: "ledger: paid part", expected: expected.paid, actual: booked.paid },
      { name: "ledger: owed part", expected: expected.owed, actual: booked.owed }
    ].map((check) => ({ ...check, ok: check.expected === check.actual }))
  })
  return { apiKey, checks } satisfies DemoBuilder
})
