/** Worth of fees while one exchange does not answer, and another one pays, on their real contracts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mint } from "../../../src/devnet/Tokens.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { unpaidBy } from "../../ports/orchestrator/FeeValue.suite.ts"
import { address } from "../../support/FakeChain.ts"
import { byMulticall3, CHAIN, HOLDER, type OfNodes, placed, Scene, valuing, WHOLE, worth } from "./venueScene.ts"

/** Selector of the quoter of Uniswap v3. */
const QUOTE_SINGLE = "c6a5026a"

/** A node that answers no quotes of Uniswap v3, so that its pools stay unknown. */
const partly: OfNodes = (client) => ({
  ...client,
  call: (request) =>
    request.data.includes(QUOTE_SINGLE)
      ? Effect.fail(new ChainUnavailable({ chainId: CHAIN.id, method: "eth_call", detail: "away" }))
      : client.call(request)
})

layer(Scene.layer)("worth of fees while an exchange does not answer that may pay more", (it) => {
  it.effect("is what another one pays if that covers what the fee is charged for, and unknown otherwise", () =>
    Effect.gen(function* () {
      const known = yield* worth("THIN")
      assert.isTrue(known > 0n)
      const worthOf = yield* valuing(undefined, partly)
      const charged = (wei: bigint) => worthOf("THIN", HOLDER, unpaidBy(HOLDER, 0n, wei))
      assert.strictEqual(yield* charged(known), known)
      const failure = yield* Effect.flip(charged(known + 1n))
      assert.deepInclude(failure, { _tag: "FeeUncertain", atLeast: known })
      assert.include(failure.message, "away")
    })
  )

  it.effect("is nothing for a fee that its holder cannot pay", () =>
    Effect.gen(function* () {
      const worthOf = yield* valuing(undefined, partly)
      const poor = address(0x99)
      assert.strictEqual(yield* worthOf("THIN", poor, unpaidBy(poor)), 0n)
    })
  )

  it.effect("is unknown for a fee that its recipient has been paid and does not hold", () =>
    Effect.gen(function* () {
      const worthOf = yield* valuing(undefined, partly)
      const failure = yield* Effect.flip(worthOf("THIN", undefined, "paid"))
      assert.strictEqual(failure._tag, "ChainUnavailable")
    })
  )

  it.effect("is unknown if the fee is paid, and at least what another one pays", () =>
    Effect.gen(function* () {
      const { dev } = yield* Scene
      const held = yield* placed("HELD")
      yield* byMulticall3([{ target: held.address, callData: mint(dev.chain.feeRecipient, 30n * WHOLE) }])
      const known = yield* (yield* valuing())("HELD", undefined, "paid")
      assert.isTrue(known > 0n)
      const worthOf = yield* valuing(undefined, partly)
      const failure = yield* Effect.flip(worthOf("HELD", undefined, "paid"))
      assert.deepInclude(failure, { _tag: "FeeUncertain", atLeast: known })
    })
  )
})
