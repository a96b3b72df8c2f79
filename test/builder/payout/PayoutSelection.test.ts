/** Screening of many builders for one batch, within the time limit of a request. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as PayoutSelection from "../../../src/builder/payout/PayoutSelection.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Screening, ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"

const CHAIN_ID = 31337

const addressOf = (index: number) => Address.of(`0x${(index + 1).toString(16).padStart(40, "0")}`)

const candidates = (count: number) =>
  [...Array(count).keys()].map((index) => ({
    builderId: `builder_${index}`,
    payoutAddress: addressOf(index),
    amount: 1n,
    suspended: false
  }))

/** Selection with a source that takes `millis` for each address, and the addresses that it was asked about. */
const selecting = Effect.fnUntraced(function* (
  millis: number,
  verdict: (address: Address.Address) => Effect.Effect<void, ScreeningBlocked> = () => Effect.void
) {
  const asked: Array<Address.Address> = []
  const select = yield* PayoutSelection.make.pipe(
    Effect.provideService(Screening, {
      clear: (_chainId, addresses) =>
        Effect.gen(function* () {
          asked.push(...addresses)
          if (millis > 0) yield* Effect.sleep(millis)
          for (const address of addresses) yield* verdict(address)
        })
    })
  )
  return { asked, select }
})

it.effect("400 builders are screened well within the time of a request", () =>
  Effect.gen(function* () {
    const { asked, select } = yield* selecting(100)
    const selection = yield* Effect.forkChild(select(CHAIN_ID, candidates(400), []))
    yield* TestClock.adjust("1 second")
    assert.isDefined(selection.pollUnsafe())
    const { leftOut, selected } = yield* Fiber.join(selection)
    assert.strictEqual(selected.length, 400)
    assert.deepStrictEqual(leftOut, [])
    assert.strictEqual(asked.length, 400)
  })
)

it.effect("a repeated request goes on where slow screening was cut off", () =>
  Effect.gen(function* () {
    const { asked, select } = yield* selecting(3_000)
    const attempt = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.timeoutOption(select(CHAIN_ID, candidates(600), []), "4 seconds"))
      yield* TestClock.adjust("4 seconds")
      return yield* Fiber.join(fiber)
    })
    assert.isTrue(Option.isNone(yield* attempt))
    assert.isTrue(Option.isNone(yield* attempt))
    const done = yield* attempt
    assert.strictEqual(Option.getOrUndefined(done)?.selected.length, 600)
    assert.strictEqual(new Set(asked).size, 600)
  })
)

it.effect("a contract wallet of another chain is left out, and not screened", () =>
  Effect.gen(function* () {
    const { asked, select } = yield* selecting(0)
    const chains = [CHAIN_ID, CHAIN_ID + 1, undefined]
    const bound = candidates(3).map((candidate, index) => {
      const walletChainId = chains[index]
      return walletChainId === undefined ? candidate : { ...candidate, walletChainId }
    })
    const { leftOut, selected } = yield* select(CHAIN_ID, bound, [])
    assert.deepStrictEqual(
      selected.map(({ builderId }) => builderId),
      ["builder_0", "builder_2"]
    )
    assert.deepStrictEqual(leftOut, [
      { builderId: "builder_1", payoutAddress: addressOf(1), amount: 1n, reason: "wallet_chain" }
    ])
    assert.deepStrictEqual(asked, [addressOf(0), addressOf(2)])
  })
)

it.effect("a clear verdict is kept for a minute on its chain", () =>
  Effect.gen(function* () {
    const { asked, select } = yield* selecting(0)
    yield* select(CHAIN_ID, candidates(1), [])
    yield* TestClock.adjust(59_999)
    yield* select(CHAIN_ID, candidates(1), [])
    assert.strictEqual(asked.length, 1)
    yield* select(CHAIN_ID + 1, candidates(1), [])
    assert.strictEqual(asked.length, 2)
    // The use of a kept verdict does not make it last longer.
    yield* TestClock.adjust(1)
    yield* select(CHAIN_ID, candidates(1), [])
    assert.strictEqual(asked.length, 3)
  })
)

it.effect("any other verdict is not kept", () =>
  Effect.gen(function* () {
    const verdicts = new Map<Address.Address, "listed" | "unavailable">([
      [addressOf(0), "listed"],
      [addressOf(1), "unavailable"]
    ])
    const { select } = yield* selecting(0, (address) => {
      const cause = verdicts.get(address)
      return cause === undefined ? Effect.void : Effect.fail(new ScreeningBlocked({ cause }))
    })
    const blocked = yield* select(CHAIN_ID, candidates(2), [])
    assert.deepStrictEqual(
      blocked.leftOut.map(({ reason }) => reason),
      ["sanctions_listed", "screening_unavailable"]
    )
    assert.deepStrictEqual(blocked.selected, [])
    verdicts.clear()
    assert.strictEqual((yield* select(CHAIN_ID, candidates(2), [])).selected.length, 2)
  })
)
