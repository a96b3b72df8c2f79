/** One endpoint of several cannot make an address listed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as SanctionsOracle from "../../../src/adapters/screening/SanctionsOracle.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, chain } from "../../support/FakeChain.ts"
import * as DifferingEndpoints from "../../support/DifferingEndpoints.ts"
import { outcome } from "./fixture.ts"
import { knowing, serving } from "./oracleNodes.ts"

const TRUE: Hex = `0x${"1".padStart(64, "0")}`
const FALSE: Hex = `0x${"0".repeat(64)}`

describe("an address that one endpoint calls listed", () => {
  const [a, b] = [address(1), address(2)]
  const listing = knowing(
    new Map([
      [a, TRUE],
      [b, FALSE]
    ])
  )
  const clearing = knowing(
    new Map([
      [a, FALSE],
      [b, FALSE]
    ])
  )
  const silent = FakeChain.client({ call: () => Effect.never })
  const down = FakeChain.client({
    call: () => Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "down" }))
  })
  const without = knowing(new Map([[b, FALSE]]))

  /** The outcome where `first` is asked first, and `second` is the other endpoint. */
  const between = (first: ChainClient, second: ChainClient) =>
    outcome(Screening.use((screening) => screening.clear(chain.id, [a, b]))).pipe(
      Effect.provide(SanctionsOracle.layer().pipe(Layer.provide(serving(DifferingEndpoints.of(first, second)))))
    )

  it.effect("is unavailable while another one contradicts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* between(listing, clearing), "unavailable")
    })
  )

  it.effect("is listed if another one agrees, fails, or has no oracle", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* between(listing, listing), "listed")
      assert.strictEqual(yield* between(listing, down), "listed")
      assert.strictEqual(yield* between(listing, without), "listed")
    })
  )

  it.effect("is listed if no other one answers in time", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(between(listing, silent))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(asked), "listed")
    })
  )
})
