/** Cases of the contract of payouts: which builders a chain's batches pay, and which batches are open. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"

const opening = { chainId: 1, token: address(0x11), minAmount: 0n }

const accrue = (sweepId: string) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.accrue({ builderId: "alpha", sweepId, token: opening.token, amount: 5n, chainId: opening.chainId })
  )

/** Tag of the failure to open a batch, or its lines. */
const open = (id: string, isNamed = false) =>
  Effect.flatMap(Payouts, (payouts) =>
    payouts
      .open({ ...opening, id, ...(isNamed ? { payees: [{ builderId: "alpha", payoutAddress: address(0x80) }] } : {}) })
      .pipe(
        Effect.map(({ lines }) => lines.map(({ amount, builderId }) => `${builderId}=${amount}`)),
        Effect.catchTag("NothingOwed", ({ _tag }) => Effect.succeed([_tag]))
      )
  )

const walletChains = Effect.gen(function* () {
  yield* register
  const builders = yield* Builders
  const payouts = yield* Payouts
  yield* accrue("sweep")
  const bind = (walletChainId: number) =>
    builders.modify("alpha", (account) => Effect.succeed({ ...account, walletChainId }))
  yield* bind(2)
  const candidate = { builderId: "alpha", payoutAddress: address(0x80), amount: 5n, suspended: false, walletChainId: 2 }
  assert.deepStrictEqual(yield* payouts.candidates(opening), [candidate])
  assert.deepStrictEqual(yield* open("other"), ["NothingOwed"])
  assert.deepStrictEqual(yield* open("named", true), ["NothingOwed"])
  yield* bind(opening.chainId)
  assert.deepStrictEqual(yield* open("own"), ["alpha=5"])
})

const openBatches = Effect.gen(function* () {
  yield* register
  const payouts = yield* Payouts
  for (const id of ["first", "second", "third"]) {
    yield* accrue(id)
    yield* open(id)
  }
  yield* payouts.fail("second", "not paid")
  const ids = (of: object) => Effect.map(payouts.openOf({ ...opening, ...of }), (found) => found.map(({ id }) => id))
  assert.deepStrictEqual(yield* ids({}), ["first", "third"])
  assert.deepStrictEqual(yield* ids({ chainId: 2 }), [])
  assert.deepStrictEqual(yield* ids({ token: address(0x12) }), [])
})

export const openCases = <E>(stores: () => Layer.Layer<Builders | Ledger | Payouts, E>) => {
  it.effect("leave out builders whose contract wallet is on another chain", () =>
    Effect.provide(walletChains, Layer.fresh(stores()))
  )
  it.effect("list the open batches of a token and chain, oldest first", () =>
    Effect.provide(openBatches, Layer.fresh(stores()))
  )
}
