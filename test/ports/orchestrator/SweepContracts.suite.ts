/** Contract of every {@link SweepContracts}, which encodes and decodes by the ABIs of the compiled sources. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import {
  decodeEventLog,
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbi
} from "viem"
import { sweepDelegate, sweepEntry, sweepGuard } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { settles } from "../../../src/domain/Swept.ts"
import { CallReverted, type CallRequest } from "../../../src/ports/shared/Chains.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { order, OrderParts, Uint256 } from "../../domain/Arbitraries.ts"
import { address, chain, client } from "../../support/FakeChain.ts"
import { hash, newIntent } from "../../support/IntentFixtures.ts"
import { cancelledLog, otherLog, sweptLog } from "../../support/RelayFixtures.ts"

const { guard } = chain.contracts
const intent = newIntent({ id: "a" })

const answering = (data: Hex) => client({ call: () => Effect.succeed(data) })
const reverting = client({
  call: () => Effect.fail(new CallReverted({ chainId: chain.id, data: "0x", detail: "reverted" }))
})

export const sweepContractsSuite = (name: string, environment: Layer.Layer<SweepContracts>): void =>
  layer(environment)(`SweepContracts by ${name}`, (it) => {
    it.effect("encodes the order and its signature as the delegate reads them", () =>
      Effect.gen(function* () {
        const { encodeExecute } = yield* SweepContracts
        const { args, functionName } = decodeFunctionData({
          abi: sweepDelegate.abi,
          data: encodeExecute(intent.order, "0xabcd")
        })
        assert.strictEqual(functionName, "execute")
        assert.deepStrictEqual(args, [intent.order, "0xabcd"])
      })
    )

    it.effect("encodes a batch as the entry reads it", () =>
      Effect.gen(function* () {
        const { encodeRun } = yield* SweepContracts
        const items = [
          { account: address(0x01), gasLimit: 300_000n, data: "0xabcd" },
          { account: address(0x02), gasLimit: 2n ** 64n - 1n, data: "0x" }
        ] as const
        const { args, functionName } = decodeFunctionData({ abi: sweepEntry.abi, data: encodeRun(items) })
        assert.strictEqual(functionName, "run")
        assert.deepStrictEqual(args, [items])
      })
    )

    it.effect("encodes the legs of a batch with their gas limits and the hashes of all legs", () =>
      Effect.gen(function* () {
        const { encodeBatch } = yield* SweepContracts
        const legs = [intent.order, { ...intent.order, nonce: 8n }].map((order) => ({
          order,
          gasLimit: 2n ** 64n - 1n
        }))
        const legHashes = [hash("foreign"), hash("first"), hash("second")]
        const data = encodeBatch({ legs, legHashes, first: 1, signature: "0xabcd" })
        const { args, functionName } = decodeFunctionData({ abi: sweepDelegate.abi, data })
        assert.strictEqual(functionName, "executeBatch")
        assert.deepStrictEqual(args, [
          legs.map(({ order }) => order),
          legs.map(({ gasLimit }) => gasLimit),
          legHashes,
          1n,
          "0xabcd"
        ])
      })
    )

    it.effect("reads which orders a call of an account runs", () =>
      Effect.gen(function* () {
        const { decodeCall, encodeBatch, encodeExecute, encodeRun } = yield* SweepContracts
        const nonces = (data: Hex) => decodeCall(data).map(({ nonce }) => nonce)
        assert.deepStrictEqual(nonces(encodeExecute(intent.order, "0xabcd")), [intent.order.nonce])
        const legs = [7n, 8n].map((nonce) => ({ order: { ...intent.order, nonce }, gasLimit: 1n }))
        const legHashes = [hash("a"), hash("b")]
        assert.deepStrictEqual(nonces(encodeBatch({ legs, legHashes, first: 0, signature: "0xabcd" })), [7n, 8n])
        assert.deepStrictEqual(nonces("0x"), [])
        for (const data of [encodeRun([]), "0x1234"] as const) assert.throws(() => nonces(data))
      })
    )

    it.effect("reads which nonce an event of the guard spent, and selects such events by owner", () =>
      Effect.gen(function* () {
        const { decodeSpent, spentTopics } = yield* SweepContracts
        const { nonce, owner } = intent.order
        const [swept, cancelled] = [sweptLog(intent, { guard }), { ...cancelledLog(intent.order), address: guard }]
        assert.deepStrictEqual(decodeSpent(guard, swept), Option.some({ owner, nonce, orderHash: intent.orderDigest }))
        assert.deepStrictEqual(decodeSpent(guard, cancelled), Option.some({ owner, nonce }))
        for (const log of [otherLog, { ...otherLog, address: guard }, { ...cancelled, data: "0x" as const }]) {
          assert.isTrue(Option.isNone(decodeSpent(guard, log)))
        }
        for (const log of [swept, cancelled]) assert.isTrue(Option.isNone(decodeSpent(address(0x66), log)))
        const selected = spentTopics(owner).map((topics) => topics.map((topic, index) => topic ?? swept.topics[index]))
        assert.deepStrictEqual(selected, [swept.topics.slice(0, 3), [...cancelled.topics]])
      })
    )

    it.effect("reads the guard's event, and no other one", () =>
      Effect.gen(function* () {
        const { decodeSwept, sweptTopics } = yield* SweepContracts
        const log = sweptLog(intent, { amountOut: 7n })
        const event = Option.getOrThrow(decodeSwept(guard, log))
        assert.isTrue(settles(event, intent.order, intent.orderDigest))
        assert.strictEqual(event.amountOut, 7n)
        assert.deepStrictEqual(log.topics.slice(0, 2), sweptTopics(intent.orderDigest))

        assert.isTrue(Option.isNone(decodeSwept(address(0x66), log)))
        assert.isTrue(Option.isNone(decodeSwept(guard, { ...otherLog, address: guard })))
        assert.isTrue(Option.isNone(decodeSwept(guard, { ...log, topics: log.topics.slice(0, 2) })))
        assert.isTrue(Option.isNone(decodeSwept(guard, { ...log, data: "0x00" })))
        assert.isTrue(Option.isNone(decodeSwept(guard, { ...log, topics: [] })))
      })
    )

    it.effect.prop("reads every event as viem does", [OrderParts, Uint256], ([parts, amountOut]) =>
      Effect.gen(function* () {
        const { decodeSwept } = yield* SweepContracts
        const log = sweptLog({ order: order(parts), orderDigest: intent.orderDigest }, { amountOut })
        const [signature, ...indexed] = log.topics
        if (signature === undefined) return assert.fail("an event has topics")
        const { args } = decodeEventLog({
          abi: sweepGuard.abi,
          eventName: "Swept",
          topics: [signature, ...indexed],
          data: log.data
        })
        assert.deepStrictEqual(Option.getOrThrow(decodeSwept(guard, log)), {
          ...args,
          owner: Address.of(args.owner),
          builder: Address.of(args.builder),
          tokenIn: Address.of(args.tokenIn),
          tokenOut: Address.of(args.tokenOut),
          destination: Address.of(args.destination),
          swapTarget: Address.of(args.swapTarget)
        })
      })
    )

    it.effect("tells why a sweep reverts", () =>
      Effect.gen(function* () {
        const { decodeRevert } = yield* SweepContracts
        const solidity = parseAbi(["error Error(string)", "error Panic(uint256)"])
        const tooLittle = encodeErrorResult({ abi: solidity, errorName: "Error", args: ["Too little received"] })
        const swapFailed = (reason: Hex) =>
          encodeErrorResult({ abi: sweepDelegate.abi, errorName: "SwapFailed", args: [reason] })

        const nonceUsed = encodeErrorResult({ abi: sweepDelegate.abi, errorName: "NonceUsed" })
        assert.deepStrictEqual(decodeRevert(nonceUsed), { name: "NonceUsed", text: "NonceUsed" })
        assert.deepStrictEqual(decodeRevert(swapFailed(tooLittle)), {
          name: "SwapFailed",
          text: "SwapFailed(Too little received)"
        })
        assert.strictEqual(decodeRevert(swapFailed("0x12345678")).text, "SwapFailed(0x12345678)")
        assert.strictEqual(decodeRevert(swapFailed("0x")).text, "SwapFailed(0x)")
        assert.strictEqual(decodeRevert(tooLittle).text, "Error(Too little received)")
        assert.deepStrictEqual(decodeRevert("0x"), { name: "Unknown", text: "no revert data" })
        assert.strictEqual(decodeRevert("0x12345678").name, "Unknown")
        assert.strictEqual(decodeRevert(`0x12345678${"00".repeat(5_000)}`).text.length, 300)
        // The limit is inside a surrogate pair.
        const pairs = encodeErrorResult({ abi: solidity, errorName: "Error", args: [`1${"\u{1F4A5}".repeat(200)}`] })
        assert.isTrue(decodeRevert(swapFailed(pairs)).text.isWellFormed())
        assert.isTrue(decodeRevert(pairs).text.isWellFormed())
      })
    )

    it.effect("reads nonces, and does not take a missing guard for an unused nonce", () =>
      Effect.gen(function* () {
        const { nonceBitmap } = yield* SweepContracts
        assert.strictEqual(yield* nonceBitmap(answering(numberToHex(5n, { size: 32 })), address(0x01), 0n), 5n)
        for (const node of [answering("0x"), reverting]) {
          assert.strictEqual((yield* Effect.flip(nonceBitmap(node, address(0x01), 0n)))._tag, "ChainUnavailable")
        }
      })
    )

    it.effect("reads balances; a token that cannot tell holds nothing", () =>
      Effect.gen(function* () {
        const { balanceOf } = yield* SweepContracts
        const rich = client({ balance: () => Effect.succeed(3n) })
        assert.strictEqual(yield* balanceOf(rich, NATIVE, address(0x01)), 3n)
        assert.strictEqual(yield* balanceOf(answering(numberToHex(9n, { size: 32 })), address(0xb1), address(0x01)), 9n)
        assert.strictEqual(yield* balanceOf(answering("0x"), address(0xb1), address(0x01)), 0n)
        assert.strictEqual(yield* balanceOf(reverting, address(0xb1), address(0x01)), 0n)
      })
    )

    it.effect("reads the balances of many tokens together; one that cannot tell has none", () =>
      Effect.gen(function* () {
        const { balancesOf } = yield* SweepContracts
        const word = (value: bigint) => numberToHex(value, { size: 32 })
        const returned = [
          { success: true, returnData: word(9n) },
          { success: false, returnData: "0x" },
          { success: true, returnData: "0x" },
          { success: true, returnData: word(3n) }
        ] as const
        const asked: Array<CallRequest> = []
        const node = client({
          call: (request) => {
            asked.push(request)
            return Effect.succeed(
              encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: returned })
            )
          }
        })
        const tokens = [address(0xb1), address(0xb2), address(0xb3), NATIVE]
        assert.deepStrictEqual(yield* balancesOf(node, tokens, address(0x01)), [
          Option.some(9n),
          Option.none(),
          Option.none(),
          Option.some(3n)
        ])
        assert.deepStrictEqual(
          asked.map(({ to }) => to),
          [chain.multicall3]
        )
        assert.deepStrictEqual(yield* balancesOf(node, [], address(0x01)), [])
        assert.strictEqual((yield* Effect.flip(balancesOf(reverting, tokens, address(0x01))))._tag, "ChainUnavailable")
      })
    )
  })
