import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { concatHex, encodeErrorResult, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as RawKeys from "../../../../src/adapters/evm/keys/RawKeys.ts"
import * as Anvil from "../../../../src/devnet/Anvil.ts"
import * as Edr from "../../../../src/devnet/Edr.ts"
import type { LocalNode } from "../../../../src/devnet/LocalNode.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { designator } from "../../../../src/domain/Delegation.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import { RelayerKeys } from "../../../../src/ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../../../src/ports/shared/Transaction.ts"
import { ChainDriver, chainsSuite, TOPIC } from "../../../ports/shared/Chains.suite.ts"
import { unsigned } from "../../../ports/orchestrator/RelayerKeys.suite.ts"
import { address, chain } from "../../../support/FakeChain.ts"
import { withLiveClock } from "../../../support/LiveClock.ts"

class Node extends Context.Service<Node, LocalNode>()("sweep/test/Node") {
  static layer(start: typeof Anvil.start) {
    return Layer.effect(
      Node,
      Effect.gen(function* () {
        const node = yield* withLiveClock(start({ chainId: chain.id }))
        yield* node.ask("mine by hand", (client) => client.setAutomine(false))
        return node
      })
    ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
  }
}

const key = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
const sender = Address.of(privateKeyToAccount(key).address)
const emitter = address(0x99)
/** PUSH32 topic, PUSH1 0, PUSH1 0, LOG1. */
const emitterCode: Hex = concatHex(["0x7f", TOPIC, "0x60006000a1"])

const transaction = { ...unsigned, chainId: chain.id, to: emitter, data: "0x" as const, gas: 100_000n }

const driver = Layer.effect(
  ChainDriver,
  Effect.gen(function* () {
    const node = yield* Node
    const keys = yield* RelayerKeys
    yield* node.ask("fund", (client) => client.setBalance({ address: sender, value: parseEther("100") }))
    yield* node.ask("place", (client) => client.setCode({ address: emitter, bytecode: emitterCode }))
    return {
      chainId: chain.id,
      sender,
      emitter,
      transaction: (nonce: bigint) =>
        Effect.map(Effect.orDie(keys.sign(sender, { ...transaction, nonce })), ({ raw }) => raw),
      mine: Effect.orDie(node.ask("mine", (client) => client.mine({ blocks: 1 })))
    }
  })
)

const keys = RawKeys.layer([Redacted.make(key)]).pipe(Layer.orDie)
const over = (wsUrlOf: (rpcUrl: string) => string | undefined, start = Anvil.start) =>
  Layer.mergeAll(
    Layer.unwrap(
      Effect.map(Node, ({ rpcUrl }) => EvmChains.layer([{ chain, rpcUrls: [rpcUrl], wsUrl: wsUrlOf(rpcUrl) }]))
    ).pipe(Layer.provide(FetchHttpClient.layer)),
    driver
  ).pipe(Layer.provideMerge(keys), Layer.provideMerge(Node.layer(start)))
const all = over(() => undefined)

chainsSuite("Chains over JSON-RPC, on anvil", Layer.fresh(all))
chainsSuite("Chains over JSON-RPC, on EDR", Layer.fresh(over(() => undefined, Edr.start)))
chainsSuite("Chains over JSON-RPC, with heads by WebSocket", Layer.fresh(over((url) => url.replace("http", "ws"))))
chainsSuite("Chains over JSON-RPC, with a WebSocket that is not there", Layer.fresh(over(() => "ws://127.0.0.1:9/")))

/** PUSH1 42, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const answers42: Hex = "0x602a60005260206000f3"
const word42 = `0x${"2a".padStart(64, "0")}` as const
/** SLOAD 0, add 1, SSTORE, and return the sum. */
const counts: Hex = "0x60005460010180600055600052602060 00f3".replace(" ", "") as Hex

layer(Layer.fresh(all))("Chains over JSON-RPC, what nodes do", (it) => {
  const setUp = Effect.gen(function* () {
    return { client: yield* (yield* Chains).get(chain.id), driver: yield* ChainDriver, keys: yield* RelayerKeys }
  })

  it.effect("tells why a transaction was rejected", () =>
    Effect.gen(function* () {
      const { client, driver, keys } = yield* setUp
      const first = yield* driver.transaction(0n)
      yield* client.send(first)
      yield* driver.mine
      const reasonOf = (changes: Partial<UnsignedTransaction>) =>
        keys.sign(sender, { ...transaction, nonce: 1n, ...changes }).pipe(
          Effect.flatMap(({ raw }) => Effect.flip(client.send(raw))),
          Effect.map((error) => (error._tag === "SendRejected" ? error.reason : error.message))
        )
      assert.strictEqual(yield* reasonOf({ nonce: 0n }), "NonceTooLow")
      assert.strictEqual(yield* reasonOf({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }), "FeeCapTooLow")
      assert.strictEqual(yield* reasonOf({ gas: 20_000n }), "Invalid")
      assert.strictEqual(yield* reasonOf({ chainId: 5 }), "Invalid")
      assert.strictEqual(yield* reasonOf({ maxFeePerGas: parseEther("1") }), "InsufficientFunds")
      // The bytes of a mined transaction are not known to the pool any more; the nonce is what tells.
      const again = yield* Effect.flip(client.send(first))
      assert.strictEqual(again._tag === "SendRejected" && again.reason, "NonceTooLow")
    })
  )

  it.effect("gives the data of a revert", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp
      const abi = [{ type: "error", name: "Nope", inputs: [{ type: "uint256" }] }] as const
      const data = encodeErrorResult({ abi, args: [7n] })
      // CODECOPY what follows the first 12 bytes to memory, and revert with it.
      const code = concatHex(["0x6024600c60003960246000fd", data])
      const error = yield* Effect.flip(
        client.call({ to: emitter, data: "0x", codeOverrides: [{ address: emitter, code }] })
      )
      assert.strictEqual(error._tag, "CallReverted")
      assert.strictEqual(error._tag === "CallReverted" && error.data, data)
    })
  )

  it.effect("calls with overridden code, balance and delegation", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp
      const delegate = address(0x42)
      const place = { address: delegate, code: answers42 }
      const owner = address(0x77)
      const call = { to: owner, data: "0x" as const }
      assert.strictEqual(yield* client.call(call), "0x")
      const delegated = { address: owner, code: designator(delegate) }
      assert.strictEqual(yield* client.call({ ...call, codeOverrides: [place, delegated] }), word42)
      assert.strictEqual(yield* client.code(owner), "0x")

      const rich = address(0x88)
      const balanceOfRich: Hex = concatHex(["0x73", rich, "0x3160005260206000f3"])
      const balance = yield* client.call({
        ...call,
        codeOverrides: [{ address: owner, code: balanceOfRich }],
        balanceOverrides: [{ address: rich, balance: 42n }]
      })
      assert.strictEqual(balance, word42)
    })
  )

  it.effect("calls with an authorization that is not on chain yet", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp
      const owner = privateKeyToAccount(generatePrivateKey())
      const delegate = address(0x42)
      const signed = yield* Effect.promise(() =>
        owner.signAuthorization({ chainId: chain.id, address: delegate, nonce: 0 })
      )
      const authorization = {
        address: delegate,
        chainId: chain.id,
        nonce: 0n,
        r: signed.r,
        s: signed.s,
        yParity: signed.yParity === 1 ? (1 as const) : (0 as const)
      }
      const answer = yield* client.call({
        to: Address.of(owner.address),
        data: "0x",
        codeOverrides: [{ address: delegate, code: answers42 }],
        authorizationList: [authorization]
      })
      assert.strictEqual(answer, word42)
    })
  )

  it.effect("simulates calls that see each other, with logs and failures", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp
      const counter = address(0x55)
      const reverting = address(0x56)
      const simulated = yield* client.simulate(
        [
          { to: counter, data: "0x" },
          { to: reverting, data: "0x", from: address(0x57) },
          { to: counter, data: "0x", gas: 100_000n },
          { to: emitter, data: "0x", from: sender, value: 1n }
        ],
        {
          codeOverrides: [
            { address: counter, code: counts },
            { address: reverting, code: "0x63deadbeef6000526004601cfd" }
          ],
          balanceOverrides: [{ address: sender, balance: 1n }]
        }
      )
      assert.deepStrictEqual(
        simulated.map(({ returnData, success }) => [success, BigInt(returnData === "0x" ? 0 : returnData)]),
        [
          [true, 1n],
          [false, 0xdeadbeefn],
          [true, 2n],
          [true, 0n]
        ]
      )
      // Nothing of it happened.
      assert.strictEqual(yield* client.code(counter), "0x")
    })
  )

  it.effect("reports a transaction that reverted", () =>
    Effect.gen(function* () {
      const { client, driver, keys } = yield* setUp
      const nonce = yield* client.transactionCount(sender, "latest")
      const { raw } = yield* keys.sign(sender, { ...transaction, nonce, gas: 21_500n })
      const hash = yield* client.send(raw)
      yield* driver.mine
      const receipt = Option.getOrThrow(yield* client.receipt(hash))
      assert.strictEqual(receipt.status, "reverted")
      assert.deepStrictEqual(receipt.logs, [])
      assert.isTrue(receipt.effectiveGasPrice > 0n)
    })
  )
})
