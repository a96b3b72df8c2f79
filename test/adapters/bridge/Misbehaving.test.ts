/** Services of bridges that lie or are broken: whatever they answer, no deposit differs from its request. Read by ABIs of their own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { decodeFunctionData, parseAbi, sliceHex } from "viem"
import * as RelayQuote from "../../../src/adapters/bridge/RelayQuote.ts"
import * as RelayDeposit from "../../../src/adapters/bridge/RelayDeposit.ts"
import { Changes, mangled } from "../../support/Mangled.ts"
import { answerTo, DEPOSITORY, ORDER_ID, request as asked } from "./relayAnswers.ts"
import { http, request, scene } from "./relayScene.ts"

const abi = parseAbi(["function depositErc20(address depositor, address token, uint256 amount, bytes32 id)"])

const decoded = Schema.decodeUnknownOption(RelayQuote.RelayAnswer)

describe("Relay, whatever it answers,", () => {
  it.effect.prop(
    "makes no deposit of another account, target, token, amount or chain",
    [Changes],
    ([changes]) =>
      Effect.gen(function* () {
        const { bridge, stub } = yield* scene()
        yield* stub.answer({ status: 200, body: mangled(answerTo(asked), changes) })
        const outcome = yield* Effect.result(bridge.route(request))
        if (outcome._tag === "Failure") return
        const { calldata, minAmountOut, target } = outcome.success
        assert.strictEqual(target, DEPOSITORY)
        const { args } = decodeFunctionData({ abi, data: sliceHex(calldata, 0, 132) })
        assert.deepStrictEqual(args.slice(0, 3), [request.depositor, request.tokenIn, request.amountIn])
        const deposit = yield* bridge.decode(request.sourceChainId, target, calldata)
        assert.deepInclude(deposit, {
          recipient: request.recipient,
          tokenOut: request.tokenOut,
          destChainId: BigInt(request.destChainId),
          minAmountOut
        })
        // Worth at least 70 % and at most 101 % of the deposit.
        assert.isTrue(minAmountOut >= 700_000n && minAmountOut <= 1_010_000n)
      }).pipe(Effect.scoped, Effect.provide(http)),
    { arbitrary: { runs: 80 } }
  )

  it.prop("changes nothing but amounts, times and its own names in an answer that is taken", [Changes], ([changes]) => {
    const answer = decoded(mangled(answerTo(asked), changes))
    if (answer._tag === "None") return
    const accepted = RelayQuote.accept(asked, answer.value, [DEPOSITORY])
    if (accepted._tag === "Failure") return
    const { deposit, target } = accepted.success
    assert.strictEqual(target, DEPOSITORY)
    const call = RelayDeposit.call({ ...deposit, orderId: ORDER_ID })
    assert.strictEqual(call, RelayDeposit.call({ ...deposit, ...asked, destChainId: 31_338n, orderId: ORDER_ID }))
  })
})
