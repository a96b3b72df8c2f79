import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type ChainClient, ChainUnavailable, type Receipt } from "../../../src/ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../../src/ports/shared/ConfirmedReceipt.ts"
import { hash } from "../../support/IntentFixtures.ts"

const receipt: Receipt = {
  transactionHash: hash("confirmed"),
  blockNumber: 1n,
  blockHash: hash("block"),
  status: "success",
  gasUsed: 21_000n,
  effectiveGasPrice: 1n,
  logs: []
}

const silent = new ChainUnavailable({ chainId: 1, method: "eth_getTransactionReceipt", detail: "no answer" })

/** Reads on nodes with these answers, and the scopes that were asked for. */
const find = (one: ReturnType<ChainClient["receipt"]>, everywhere: ReturnType<ChainClient["receipt"]>) =>
  Effect.gen(function* () {
    const scopes: Array<string> = []
    const found = yield* Effect.result(
      ConfirmedReceipt.find(
        {
          receipt: (_, scope) => {
            scopes.push(scope ?? "one")
            return scope === undefined ? one : everywhere
          }
        },
        receipt.transactionHash
      )
    )
    return { found, scopes }
  })

describe("the receipt of a confirmed transaction", () => {
  it.effect("is asked of one endpoint if that has it", () =>
    Effect.gen(function* () {
      const { found, scopes } = yield* find(Effect.succeedSome(receipt), Effect.succeedNone)
      assert.deepStrictEqual(scopes, ["one"])
      assert.isTrue(found._tag === "Success" && Option.isSome(found.success))
    })
  )

  it.effect("is found on another endpoint after the first one has deleted it", () =>
    Effect.gen(function* () {
      const { found, scopes } = yield* find(Effect.succeedNone, Effect.succeedSome(receipt))
      assert.deepStrictEqual(scopes, ["one", "everywhere"])
      assert.isTrue(found._tag === "Success" && Option.isSome(found.success))
    })
  )

  it.effect("is absent if too few other endpoints answer, and fails if the first does not", () =>
    Effect.gen(function* () {
      const absent = yield* find(Effect.succeedNone, Effect.fail(silent))
      assert.isTrue(absent.found._tag === "Success" && Option.isNone(absent.found.success))
      const failed = yield* find(Effect.fail(silent), Effect.succeedSome(receipt))
      assert.strictEqual(failed.found._tag, "Failure")
    })
  )
})
