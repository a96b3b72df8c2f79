/** Valuations of fees in tokens of other exchanges by a service that remembers the last one. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { erc20Abi } from "viem"
import { mint } from "../../../src/devnet/Tokens.ts"
import * as Rounds from "../../support/Rounds.ts"
import { byMulticall3, HOLDER, placed, Scene, valuing, WHOLE, worth } from "./venueScene.ts"

/** Values a token several times by the same service. Returns also the number of round trips to the node. */
const counting = Effect.gen(function* () {
  const rounds = Rounds.make()
  const scene = yield* Effect.context<Scene>()
  const worthOf = yield* valuing(undefined, undefined, rounds.fetch)
  const counted = Effect.fnUntraced(function* (symbol: string) {
    const { exit, rounds: made } = yield* rounds.of(Effect.provideContext(worthOf(symbol), scene))
    return { wei: yield* Effect.orDie(exit), rounds: made.length }
  })
  // The first requests of a process check the chain's id and read what the guard lists.
  yield* counted("DEEP")
  return counted
})

layer(Scene.layer)("worth of fees in tokens of other exchanges, valued again", (it) => {
  it.effect("is by what the recipient holds now, although less was known, or more", () =>
    Effect.gen(function* () {
      const { dev } = yield* Scene
      const { address } = yield* placed("HELD")
      const worthOf = yield* counting
      const known = yield* worthOf("HELD")
      assert.deepStrictEqual(yield* worthOf("HELD"), { wei: known.wei, rounds: 2 })
      yield* byMulticall3([{ target: address, callData: mint(dev.chain.feeRecipient, 100n * WHOLE) }])
      const less = yield* worth("HELD")
      assert.isTrue(less < known.wei)
      assert.deepStrictEqual(yield* worthOf("HELD"), { wei: less, rounds: 3 })
      assert.deepStrictEqual(yield* worthOf("HELD"), { wei: less, rounds: 2 })
      yield* dev.node.ask("take it away", async (node) => {
        await node.setBalance({ address: dev.chain.feeRecipient, value: WHOLE })
        await node.impersonateAccount({ address: dev.chain.feeRecipient })
        const call = { abi: erc20Abi, functionName: "transfer", args: [HOLDER, 100n * WHOLE] } as const
        const hash = await node.writeContract({ ...call, account: dev.chain.feeRecipient, chain: node.chain, address })
        await node.waitForTransactionReceipt({ hash })
      })
      assert.strictEqual((yield* worthOf("HELD")).wei, known.wei)
    })
  )

  it.effect("of a token with a tax is rehearsed once when the tax is known", () =>
    Effect.gen(function* () {
      const worthOf = yield* counting
      const first = yield* worthOf("TAXED")
      assert.isAbove(first.rounds, 3)
      assert.deepStrictEqual(yield* worthOf("TAXED"), { wei: first.wei, rounds: 2 })
    })
  )
})
