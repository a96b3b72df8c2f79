import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { decodeFunctionResult, encodeFunctionData, numberToHex, padHex, parseAbi } from "viem"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { spokePoolAbi } from "../../../src/devnet/Across.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import * as FaultProxy from "../../support/FaultProxy.ts"
import { TestNetwork } from "../../support/Network.ts"
import { AcrossNetwork, chainsOf, network } from "./acrossNetwork.ts"
import { Deposit, depositOf } from "./generated.ts"

const fees = layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3 * 3_600 })

const settle = Effect.gen(function* () {
  const net = yield* AcrossNetwork
  const request = net.requestOf("USDC", "USDC", units("USDC", 10n))
  const route = yield* (yield* Bridge).route(request)
  return { net, route, settlement: yield* net.deposit(request, route), sourceChainId: request.sourceChainId }
})

const across = Across.layer({ orderLifetimeSeconds: 720 }).pipe(Layer.provide([fees, UniswapV3.layer]))

/** Asks for a delivery while `reaction` applies to the destination's node. Returns the calls that were made. */
const deliveryBehind = Effect.fnUntraced(function* (
  reaction: (call: FaultProxy.Call) => FaultProxy.Reaction,
  settlement: Effect.Success<typeof settle>,
  searchFrom?: bigint
) {
  const network = yield* TestNetwork
  const { destination } = settlement.net
  const proxy = yield* FaultProxy.start(destination.rpcUrl)
  yield* proxy.react(reaction)
  const behind = Layer.fresh(across).pipe(
    Layer.provide(chainsOf(undefined, (dev) => (dev.chain.id === destination.chain.id ? proxy.url : dev.rpcUrl))),
    Layer.provide(Layer.succeed(TestNetwork, network))
  )
  const { sourceChainId } = settlement
  const delivery = yield* Effect.flatMap(Bridge, (bridge) =>
    bridge.delivery({ ...settlement.settlement, sourceChainId, searchFrom })
  ).pipe(Effect.provide(behind))
  const calls = yield* proxy.calls
  return { delivery, logs: calls.filter(({ method }) => method === "eth_getLogs"), calls }
})

/** A node that keeps the state of its newest block only. */
const withoutPastState = ({ method, params }: FaultProxy.Call): FaultProxy.Reaction =>
  method === "eth_call" && typeof params[1] === "string"
    ? FaultProxy.answerError(-32_000, "missing trie node")
    : FaultProxy.pass

layer(across.pipe(Layer.provideMerge(network)))("Across deliveries", (it) => {
  it.effect.prop("are looked up by the key that the SpokePool computes", [Deposit], ([generated]) =>
    Effect.gen(function* () {
      const { destination, source } = yield* AcrossNetwork
      const client = yield* (yield* Chains).get(destination.chain.id)
      const deposit = depositOf(generated)
      const relay: AcrossDeposit.Relay = {
        originChainId: source.chain.id,
        destinationChainId: BigInt(destination.chain.id),
        depositId: BigInt(generated.parties[0]) << 200n,
        deposit,
        exclusivityDeadline: deposit.exclusivityParameter
      }
      const abi = parseAbi([
        "struct V3RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }",
        "function getV3RelayHash(V3RelayData relayData) view returns (bytes32)"
      ])
      const word = (address: string) => padHex(address as `0x${string}`, { size: 32 })
      const data = encodeFunctionData({
        abi,
        args: [
          {
            ...deposit,
            depositor: word(deposit.depositor),
            recipient: word(deposit.recipient),
            exclusiveRelayer: word(deposit.exclusiveRelayer),
            inputToken: word(deposit.inputToken),
            outputToken: word(deposit.outputToken),
            originChainId: BigInt(source.chain.id),
            depositId: relay.depositId,
            exclusivityDeadline: relay.exclusivityDeadline,
            message: "0x"
          }
        ]
      })
      const answer = yield* client.call({ to: destination.spokePool, data, block: "latest" })
      assert.strictEqual(AcrossDeposit.relayHash(relay), decodeFunctionResult({ abi, data: answer }))
    })
  )

  it.effect("have the pool's status 2 at that key", () =>
    Effect.gen(function* () {
      const { net, settlement } = yield* settle
      const client = yield* (yield* Chains).get(net.destination.chain.id)
      const status = client.call({
        to: net.destination.spokePool,
        data: encodeFunctionData({
          abi: spokePoolAbi,
          functionName: "fillStatuses",
          args: [AcrossDeposit.relayHash(net.relayOf(settlement))]
        }),
        block: "latest"
      })
      assert.strictEqual(yield* status, numberToHex(0, { size: 32 }))
      yield* net.fill(settlement)
      assert.strictEqual(yield* status, numberToHex(2, { size: 32 }))
    })
  )

  it.effect("are not proved by the fill of a relay that was made up", () =>
    Effect.gen(function* () {
      const { net, route, settlement, sourceChainId } = yield* settle
      const bridge = yield* Bridge
      // Same deposit id and recipient, but an amount of one unit.
      const forged = yield* net.fill(settlement, 1n)
      assert.deepStrictEqual(yield* bridge.delivery({ ...settlement, sourceChainId }), { _tag: "Pending" })
      const txHash = yield* net.fill(settlement)
      assert.notStrictEqual(txHash, forged)
      assert.deepStrictEqual(yield* bridge.delivery({ ...settlement, sourceChainId }), {
        _tag: "Delivered",
        txHash,
        amountOut: route.amountOut
      })
    })
  )

  it.effect("are found at once on a node that returns logs of 10 blocks", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      const txHash = yield* settled.net.fill(settled.settlement)
      yield* settled.net.mine(4)
      const { delivery, logs } = yield* deliveryBehind(FaultProxy.capLogs(10), settled)
      assert.strictEqual(delivery._tag === "Delivered" && delivery.txHash, txHash)
      assert.isAtMost(logs.length, 2)
    })
  )

  it.effect("are found by the pool's past state when the fill is 200 blocks old", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      yield* settled.net.mine(10)
      const txHash = yield* settled.net.fill(settled.settlement)
      yield* settled.net.mine(200)
      const { calls, delivery } = yield* deliveryBehind(FaultProxy.capLogs(10), settled)
      assert.strictEqual(delivery._tag === "Delivered" && delivery.txHash, txHash)
      assert.isAtMost(calls.length, 45)
    })
  )

  it.effect("are proved without past state and with logs of 10 blocks, and found by several looks", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      const txHash = yield* settled.net.fill(settled.settlement)
      yield* settled.net.mine(1_000)
      const reaction = (call: FaultProxy.Call) =>
        call.method === "eth_getLogs" ? FaultProxy.capLogs(10)(call) : withoutPastState(call)
      let searchFrom: bigint | undefined
      const froms: Array<bigint> = []
      for (let look = 0; look < 10; look++) {
        const { delivery, logs } = yield* deliveryBehind(reaction, settled, searchFrom)
        assert.isAtMost(logs.length, 52)
        if (delivery._tag === "Delivered") {
          assert.strictEqual(delivery.txHash, txHash)
          assert.isAtLeast(look, 2)
          return
        }
        if (delivery._tag !== "Filled" || delivery.searchFrom === undefined) return assert.fail(delivery._tag)
        assert.isUndefined(delivery.logsFailed)
        assert.isTrue(froms.every((from) => from > (delivery.searchFrom ?? 0n)))
        froms.push(delivery.searchFrom)
        searchFrom = delivery.searchFrom
      }
      assert.fail("the fill was not found")
    })
  )

  it.effect("are proved on a node that returns no logs at all", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      const logsFail = ({ method }: FaultProxy.Call) =>
        method === "eth_getLogs" ? FaultProxy.refuse() : FaultProxy.pass
      assert.deepStrictEqual((yield* deliveryBehind(logsFail, settled)).delivery, { _tag: "Pending" })
      yield* settled.net.fill(settled.settlement)
      const { delivery } = yield* deliveryBehind(logsFail, settled)
      assert.strictEqual(delivery._tag === "Filled" && delivery.logsFailed?.method, "eth_getLogs")
      assert.isTrue(delivery._tag === "Filled" && delivery.swapsOnArrival === undefined)
    })
  )

  it.effect("count only at the destination's depth", () =>
    Effect.gen(function* () {
      const { net, settlement, sourceChainId } = yield* settle
      const deep = Layer.fresh(across).pipe(
        Layer.provide(chainsOf((chain) => ({ ...chain, confirmations: 3 }))),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      yield* Effect.gen(function* () {
        const bridge = yield* Bridge
        const status = Effect.map(bridge.delivery({ ...settlement, sourceChainId }), (delivery) => delivery._tag)
        yield* net.fill(settlement)
        assert.strictEqual(yield* status, "Pending")
        yield* net.mine(1)
        assert.strictEqual(yield* status, "Pending")
        yield* net.mine(1)
        assert.strictEqual(yield* status, "Delivered")
      }).pipe(Effect.provide(deep))
    })
  )

  it.effect(
    "are followed by the pool that the order names, after the operator has changed the source's contracts",
    () =>
      Effect.gen(function* () {
        const { net } = yield* settle
        const moved = Layer.fresh(across).pipe(
          Layer.provide(
            chainsOf((chain) =>
              chain.id === net.source.chain.id
                ? { ...chain, spokePool: address(0x5b), spokePoolPeriphery: address(0x5c) }
                : chain
            )
          ),
          Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
        )
        for (const tokenIn of ["USDC", "WETH"] as const) {
          const request = net.requestOf(tokenIn, "USDC", units(tokenIn, 1n))
          const { sourceChainId } = request
          const route = yield* (yield* Bridge).route(request)
          const settlement = yield* net.deposit(request, route)
          const txHash = yield* net.fill(settlement)
          yield* Effect.gen(function* () {
            const bridge = yield* Bridge
            const delivery = yield* bridge.delivery({ ...settlement, sourceChainId })
            assert.strictEqual(delivery._tag === "Delivered" && delivery.txHash, txHash, tokenIn)
            // A new order has to call the new contracts.
            const refused = yield* Effect.flip(bridge.decode(sourceChainId, route.target, route.calldata))
            assert.strictEqual(refused._tag, "NoRoute")
          }).pipe(Effect.provide(moved))
        }
      })
  )

  it.effect("are unknown without the deposit's own event", () =>
    Effect.gen(function* () {
      const { net, settlement, sourceChainId } = yield* settle
      const bridge = yield* Bridge
      const other = yield* settle
      const { receipt } = settlement
      const stranger = net.source.tokens.USDC
      const unknown = [
        { ...settlement, receipt: { ...receipt, logs: [] } },
        // The event of another contract is not a proof.
        { ...settlement, receipt: { ...receipt, logs: receipt.logs.map((log) => ({ ...log, address: stranger })) } },
        { ...settlement, order: { ...settlement.order, swapCalldata: "0x1234" as const } },
        { ...settlement, order: { ...settlement.order, destChainId: 999_999n } }
      ]
      for (const each of unknown) {
        const error = yield* Effect.flip(bridge.delivery({ ...each, sourceChainId }))
        assert.strictEqual(error._tag, "ChainUnavailable")
      }
      assert.notStrictEqual(other.settlement.receipt.transactionHash, receipt.transactionHash)
    })
  )
})
