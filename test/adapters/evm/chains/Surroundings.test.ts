/** A contract sees the same of a transaction in a simulation as on the chain, on both nodes of the local network. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { concatHex, createWalletClient, hexToBigInt, http, numberToHex, parseEther, slice } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { rehearsal } from "../../../../src/adapters/evm/abi/simulation.generated.ts"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as Anvil from "../../../../src/devnet/Anvil.ts"
import * as Edr from "../../../../src/devnet/Edr.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import { address, chain } from "../../../support/FakeChain.ts"

const GAS = 500_000n

/** Instructions that put one word on the stack, by name, in their order. */
const SEEN = {
  /** Gas of reading the code size of the sender, and that of the coinbase (EIP-2929, EIP-3651). */
  originAccess: "0x5a323b505a9003",
  coinbaseAccess: "0x5a413b505a9003",
  origin: "0x32",
  gasPrice: "0x3a",
  baseFee: "0x48",
  coinbase: "0x41",
  timestamp: "0x42",
  number: "0x43",
  /** ORIGIN, BALANCE. */
  originBalance: "0x3231",
  /** ORIGIN, EXTCODESIZE. */
  originCode: "0x323b",
  gasLeft: "0x5a",
  blockGasLimit: "0x45"
} as const satisfies Record<string, Hex>

type Seen = Readonly<Record<keyof typeof SEEN, bigint>>

const NAMES = Object.keys(SEEN) as ReadonlyArray<keyof typeof SEEN>

/** Code that logs and returns all words. */
const WITNESS = concatHex([
  // PUSH2 offset, MSTORE
  ...NAMES.map((name, index) => concatHex([SEEN[name], "0x61", numberToHex(32 * index, { size: 2 }), "0x52"])),
  // PUSH2 size, PUSH0, LOG0, PUSH2 size, PUSH0, RETURN
  ...["0xa0", "0xf3"].map((end) => concatHex(["0x61", numberToHex(32 * NAMES.length, { size: 2 }), "0x5f", end as Hex]))
])

const read = (data: Hex): Seen =>
  Object.fromEntries(NAMES.map((name, index) => [name, hexToBigInt(slice(data, 32 * index, 32 * index + 32))])) as Seen

const witness = address(0x77)

/** Simulates a call from a sender with this balance, sends it, and returns what the contract saw of both. */
const compared = Effect.fnUntraced(function* (start: typeof Anvil.start, balance: bigint) {
  const node = yield* start({ chainId: chain.id })
  const account = privateKeyToAccount(generatePrivateKey())
  const sender = Address.of(account.address)
  yield* node.ask("set up", async (client) => {
    await client.setBalance({ address: sender, value: balance })
    await client.setCode({ address: witness, bytecode: WITNESS })
    await client.mine({ blocks: 3 })
  })
  const context = yield* Layer.build(
    EvmChains.layer([{ chain, rpcUrls: [node.rpcUrl] }]).pipe(Layer.provide(FetchHttpClient.layer))
  )
  const client = yield* Context.get(context, Chains).get(chain.id)
  const { maxFeePerGas, maxPriorityFeePerGas } = yield* client.feesPerGas
  const { timestamp: headTime } = yield* node.ask("head", (client) => client.getBlock())
  const [simulated] = yield* client.simulate([{ to: witness, data: "0x", gas: GAS }], {
    within: { origin: sender, gasLimit: 21_000n + GAS }
  })
  const mined = yield* node.ask("send", async (client) => {
    const wallet = createWalletClient({ account, chain: client.chain, transport: http(node.rpcUrl) })
    const hash = await wallet.sendTransaction({
      to: witness,
      // The gas of every transaction, and the gas that the simulated call has.
      gas: 21_000n + GAS,
      maxFeePerGas,
      maxPriorityFeePerGas
    })
    return client.waitForTransactionReceipt({ hash })
  })
  assert.isTrue(simulated?.success)
  return { headTime, sender, simulated: read(simulated?.returnData ?? "0x"), mined: read(mined.logs[0]?.data ?? "0x") }
}, Effect.scoped)

/** True if they differ by an eighth at most, as base fees of adjacent blocks do (EIP-1559). */
const isNear = (a: bigint, b: bigint): boolean => a > 0n && b > 0n && (a > b ? (a - b) * 8n <= a : (b - a) * 8n <= b)

const NODES = [
  // EDR takes no block overrides, runs calls in the latest block, and gives them no base fee.
  { name: "anvil", start: Anvil.start, hasNextBlock: true },
  { name: "EDR", start: Edr.start, hasNextBlock: false }
] as const

describe.each(NODES)("a simulated call on $name", ({ hasNextBlock, start }) => {
  it.live("sees what it will see on the chain", () =>
    Effect.gen(function* () {
      const balance = parseEther("3")
      const { headTime, mined, sender, simulated } = yield* compared(start, balance)
      const paid = ({ gasPrice, originBalance }: Seen) => originBalance + (21_000n + GAS) * gasPrice
      assert.strictEqual(paid(mined), balance)
      assert.strictEqual(simulated.origin, BigInt(sender))
      assert.strictEqual(simulated.originCode, mined.originCode)
      assert.strictEqual(simulated.coinbase, mined.coinbase)
      for (const { coinbaseAccess, originAccess } of [simulated, mined]) {
        assert.deepStrictEqual([originAccess, coinbaseAccess], [106n, 106n])
      }
      assert.strictEqual(simulated.gasLeft, mined.gasLeft)
      assert.strictEqual(simulated.blockGasLimit, mined.blockGasLimit)
      assert.isTrue(isNear(simulated.originBalance, mined.originBalance))
      if (hasNextBlock) {
        assert.strictEqual(paid(simulated), balance)
        assert.isTrue(isNear(simulated.gasPrice, mined.gasPrice), `${simulated.gasPrice}, ${mined.gasPrice}`)
        assert.isTrue(isNear(simulated.baseFee, mined.baseFee), `${simulated.baseFee}, ${mined.baseFee}`)
        // Later by the time since the head was read, and never before the next block.
        assert.isTrue(simulated.number >= mined.number && simulated.number <= mined.number + 10n)
        assert.isTrue(simulated.timestamp > headTime && simulated.timestamp <= headTime + 10n)
      } else {
        assert.isTrue(simulated.gasPrice > 0n)
        assert.strictEqual(simulated.baseFee, 0n)
        assert.strictEqual(simulated.number, mined.number - 1n)
      }
    }).pipe(Effect.provide(BunServices.layer))
  )

  it.live("has a sender with a balance, even if the sender cannot pay for the simulation's gas", () =>
    Effect.gen(function* () {
      const { mined, simulated } = yield* compared(start, parseEther("0.0008"))
      assert.isTrue(mined.originBalance > 0n)
      assert.isTrue(simulated.originBalance > 0n)
    }).pipe(Effect.provide(BunServices.layer))
  )
})

/** Code that returns the gas of reading the size of an account's code: 107 if the account is warm, and 2,607 if it is cold. */
const touching = (account: Hex): Hex => concatHex(["0x5a73", account, "0x3b505a90035f5260205ff3"])

describe.each(NODES)("an account that is named as warm, on $name", ({ start }) => {
  it.live("is warm when the calls begin, and another one is cold", () =>
    Effect.gen(function* () {
      const node = yield* start({ chainId: chain.id })
      const entry = address(0x88)
      yield* node.ask("set up", (client) => client.setCode({ address: witness, bytecode: touching(entry) }))
      const context = yield* Layer.build(
        EvmChains.layer([{ chain, rpcUrls: [node.rpcUrl] }]).pipe(Layer.provide(FetchHttpClient.layer))
      )
      const client = yield* Context.get(context, Chains).get(chain.id)
      const gasOf = Effect.fnUntraced(function* (warm?: ReadonlyArray<Address.Address>) {
        const origin = Address.of(privateKeyToAccount(generatePrivateKey()).address)
        const [seen] = yield* client.simulate([{ to: witness, data: "0x" }], {
          within: { origin, ...(warm === undefined ? {} : { warm }) }
        })
        return hexToBigInt(seen?.returnData ?? "0x")
      })
      assert.deepStrictEqual(yield* Effect.forEach([undefined, [], [address(0x89)], [address(0x89), entry]], gasOf), [
        2_607n,
        2_607n,
        2_607n,
        107n
      ])
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})

interface Request {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Addresses that these requests call, and to which they give the rehearsal's code. */
const stagesOf = (requests: ReadonlyArray<Request>) =>
  requests.flatMap(({ method, params }) => {
    if (method !== "eth_call") return []
    const [{ to }, , overrides = {}] = params as [{ to: string }, string, Record<string, { code?: Hex }>?]
    return overrides[to]?.code === rehearsal.runtimeCode ? [to] : []
  })

/** Gas that many public nodes give a call at most. They do not tell the caller. */
const NODE_GAS = 50_000_000n

/** Requests as a node understands them that gives calls at most {@link NODE_GAS}. */
const capping = (async (url, init) => {
  const body: Request | ReadonlyArray<Request> = await new Response(init?.body).json()
  const capped = (request: Request): Request => {
    const [call = {}, ...others] = request.params as ReadonlyArray<{ readonly gas?: Hex }>
    if (request.method !== "eth_call" || BigInt(call.gas ?? "0x0") <= NODE_GAS) return request
    return { ...request, params: [{ ...call, gas: numberToHex(NODE_GAS) }, ...others] }
  }
  return fetch(url, {
    ...init,
    body: JSON.stringify(Array.isArray(body) ? body.map(capped) : capped(body as Request))
  })
}) as typeof globalThis.fetch

describe("a simulation that needs more gas than a node gives", () => {
  it.live("fails as one that the node ran, and in parts it does not", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.start({ chainId: chain.id })
      // JUMPDEST, PUSH0, JUMP: it burns all gas that it gets.
      yield* node.ask("set up", (client) => client.setCode({ address: witness, bytecode: "0x5b5f56" }))
      const context = yield* Layer.build(
        EvmChains.layer([{ chain, rpcUrls: [node.rpcUrl] }]).pipe(
          Layer.provide(FetchHttpClient.layer),
          Layer.provide(Layer.succeed(FetchHttpClient.Fetch, capping))
        )
      )
      const client = yield* Context.get(context, Chains).get(chain.id)
      const burners = (count: number) =>
        Array.from({ length: count }, () => ({ to: witness, data: "0x" as const, gas: 5_440_000n }))
      const { detail, isReverted } = yield* Effect.flip(client.simulate(burners(10)))
      assert.isTrue(isReverted, detail)
      assert.lengthOf(yield* client.simulate(burners(4)), 4)
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("fails as one without an answer if no node ran it", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        EvmChains.layer([{ chain, rpcUrls: ["http://127.0.0.1:1"] }]).pipe(Layer.provide(FetchHttpClient.layer))
      )
      const client = yield* Context.get(context, Chains).get(chain.id)
      assert.isUndefined((yield* Effect.flip(client.simulate([{ to: witness, data: "0x" }]))).isReverted)
    }).pipe(Effect.scoped)
  )
})

describe("a simulated call without a sender", () => {
  it.live("comes from another address each time, so that a token cannot know it before", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.start({ chainId: chain.id })
      const requests: Array<Request> = []
      const noting = (async (url, init) => {
        const body: Request | ReadonlyArray<Request> = await new Response(init?.body).json()
        requests.push(...[body].flat())
        return fetch(url, init)
      }) as typeof globalThis.fetch
      const context = yield* Layer.build(
        EvmChains.layer([{ chain, rpcUrls: [node.rpcUrl] }]).pipe(
          Layer.provide(FetchHttpClient.layer),
          Layer.provide(Layer.succeed(FetchHttpClient.Fetch, noting))
        )
      )
      const client = yield* Context.get(context, Chains).get(chain.id)
      yield* client.simulate([{ to: witness, data: "0x" }])
      yield* client.simulate([{ to: witness, data: "0x" }])
      const stages = stagesOf(requests)
      assert.lengthOf(stages, 2)
      assert.lengthOf(new Set(stages), 2)
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})
