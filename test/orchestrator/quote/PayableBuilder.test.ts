/** A token that blocks a builder's payout address, as issuers of stables do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { decodeFunctionData, erc20Abi, type Hex } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { CallReverted } from "../../../src/ports/shared/Chains.ts"
import * as Quoting from "../../support/Quoting.ts"

const { PAYOUT, source } = Quoting

/** A scene whose token rejects transfers to these accounts, in sweeps as in calls. */
const rejecting = Effect.fnUntraced(function* (...blocked: ReadonlyArray<Address.Address>) {
  const scene = yield* Quoting.make()
  const failed = new SimulationFailed({ detail: "TransferFailed", revert: "TransferFailed" })
  Object.defineProperty(scene.script, "simulationFails", {
    get: () => {
      const builder = scene.asked.simulated.at(-1)?.builder
      return builder !== undefined && blocked.includes(builder) ? failed : undefined
    }
  })
  const answer = (data: Hex): "rejected" | Hex => {
    const call = decodeFunctionData({ abi: erc20Abi, data })
    if (call.functionName !== "transfer") return "0x"
    return blocked.includes(Address.of(call.args[0])) ? "rejected" : `0x${"1".padStart(64, "0")}`
  }
  yield* (yield* scene.chain(source.id)).onCall(({ data }) => {
    const given = answer(data)
    return given === "rejected"
      ? Effect.fail(new CallReverted({ chainId: source.id, data: "0x", detail: "blacklisted" }))
      : Effect.succeed(given)
  })
  return scene
})

describe("a builder that the token does not let be paid", () => {
  it.effect("does not refuse the quote: its fee goes to the vault, and the ledger owes it", () =>
    Effect.gen(function* () {
      const scene = yield* rejecting(PAYOUT)
      const { order, quote } = yield* scene.quote({ apiKey: Quoting.KEY })
      assert.strictEqual(order.builder, source.builderVault)
      assert.isAbove(Number(order.builderFee), 0)
      assert.strictEqual(quote.builderId, "bld_test")
      assert.deepStrictEqual(scene.asked.created[0]?.attributed, { builderId: "bld_test", payoutMode: "ledger" })
    })
  )

  it.effect("is not found out where the transfer to the vault fails, too", () =>
    Effect.gen(function* () {
      const scene = yield* rejecting(PAYOUT, source.builderVault)
      const failure = yield* Effect.flip(scene.quote({ apiKey: Quoting.KEY }))
      assert.strictEqual(failure._tag, "QuoteFailed")
      assert.isTrue(scene.asked.simulated.every(({ builder }) => builder === PAYOUT))
    })
  )

  it.effect("is not made out of any other failure of a transfer", () =>
    Effect.gen(function* () {
      const scene = yield* rejecting()
      Object.defineProperty(scene.script, "simulationFails", {
        value: new SimulationFailed({ detail: "TransferFailed", revert: "TransferFailed" })
      })
      yield* Effect.flip(scene.quote({ apiKey: Quoting.KEY }))
      assert.isTrue(scene.asked.simulated.every(({ builder }) => builder === PAYOUT))
    })
  )
})
