/** Fees of rollups for bytes, by the OP stack's own contracts and by recorded answers of Arbitrum's nodes. */
import { readFileSync } from "node:fs"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { concatHex, encodeFunctionData, numberToHex, pad, parseAbi, parseGwei, serializeTransaction, size } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as DataFee from "../../../../src/adapters/evm/contracts/DataFee.ts"
import { start } from "../../../../src/devnet/Anvil.ts"
import * as Artifacts from "../../../../src/devnet/Artifacts.ts"
import { installMulticall3, MULTICALL3 } from "../../../../src/devnet/Essentials.ts"
import type { LocalNode } from "../../../../src/devnet/LocalNode.ts"
import type { Chain } from "../../../../src/domain/Chain.ts"
import { Hex } from "../../../../src/domain/Hex.ts"
import * as RollupFee from "../../../../src/domain/RollupFee.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import { address, chain as template } from "../../../support/FakeChain.ts"

const Code = Schema.Struct({ gasPriceOracle: Hex, l1Block: Hex })
const code = Schema.decodeUnknownSync(Schema.fromJsonString(Code))(
  readFileSync(new URL("./opStackCode.json", import.meta.url), "utf8")
)

const ORACLE = "0x420000000000000000000000000000000000000F"
const L1_BLOCK = "0x4200000000000000000000000000000000000015"
/** The only account that may tell these contracts anything. */
const DEPOSITOR = "0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001"
const NODE_INTERFACE = "0x00000000000000000000000000000000000000C8"

/** Base's scalars in 2026, at a busy base layer. */
const BASE_FEE_SCALAR = 2_269n
const BLOB_BASE_FEE_SCALAR = 1_055_762n
const BASE_FEE = parseGwei("20")
const BLOB_BASE_FEE = parseGwei("3")

const oracleAbi = parseAbi([
  "function setEcotone()",
  "function setFjord()",
  "function getL1Fee(bytes data) view returns (uint256)"
])

class Node extends Context.Service<Node, LocalNode>()("sweep/test/Node") {
  static readonly layer = Layer.effect(
    Node,
    Effect.orDie(
      Effect.gen(function* () {
        const node = yield* start({ chainId: 31_337 })
        yield* installMulticall3(node, yield* Artifacts.load)
        return node
      })
    )
  ).pipe(Layer.provide(BunServices.layer))
}

const clientOf = (dataFee: Chain["dataFee"]) =>
  Effect.gen(function* () {
    const { rpcUrl } = yield* Node
    const chain = { ...template, id: 31_337, multicall3: MULTICALL3, ...(dataFee === undefined ? {} : { dataFee }) }
    const chains = yield* Effect.provide(
      Chains,
      EvmChains.layer([{ chain, rpcUrls: [rpcUrl] }]).pipe(Layer.provide(FetchHttpClient.layer))
    )
    return yield* chains.get(31_337)
  })

/** Puts the OP stack's contracts where they are on such a chain, after the Fjord upgrade. */
const installOpStack = Effect.flatMap(Node, (node) =>
  node.ask("install the OP stack", async (client) => {
    await client.setCode({ address: ORACLE, bytecode: code.gasPriceOracle })
    await client.setCode({ address: L1_BLOCK, bytecode: code.l1Block })
    await client.setBalance({ address: DEPOSITOR, value: 10n ** 20n })
    await client.impersonateAccount({ address: DEPOSITOR })
    const send = async (to: Hex, data: Hex) => {
      const hash = await client.sendTransaction({ account: DEPOSITOR, chain: client.chain, to, data })
      assert.strictEqual((await client.waitForTransactionReceipt({ hash })).status, "success")
    }
    const numbers: ReadonlyArray<readonly [bigint, number]> = [
      [BASE_FEE_SCALAR, 4],
      [BLOB_BASE_FEE_SCALAR, 4],
      [0n, 8],
      [0n, 8],
      [0n, 8],
      [BASE_FEE, 32],
      [BLOB_BASE_FEE, 32],
      [0n, 32],
      [0n, 32]
    ]
    const packed = concatHex(numbers.map(([value, bytes]) => numberToHex(value, { size: bytes })))
    // `setL1BlockValuesEcotone()` reads packed values after its selector.
    await send(L1_BLOCK, concatHex(["0x440a5e20", packed]))
    for (const functionName of ["setEcotone", "setFjord"] as const) {
      await send(ORACLE, encodeFunctionData({ abi: oracleAbi, functionName }))
    }
  })
)

/** Code that answers `getOperatorFee(gas)` with `gas * times / by + constant`, and everything else with 1000. */
const operatorOracle = (times: bigint, by: bigint, constant: bigint): Hex =>
  concatHex([
    // The selector of the call is that of `getOperatorFee`.
    "0x5f3560e01c63275aedd214601757",
    // 1000
    "0x6103e85f5260205ff3",
    // constant + gas * times / by
    "0x5b67",
    numberToHex(by, { size: 8 }),
    "0x67",
    numberToHex(times, { size: 8 }),
    "0x600435020467",
    numberToHex(constant, { size: 8 }),
    "0x015f5260205ff3"
  ])

const random = (bytes: number): Hex =>
  concatHex(Array.from({ length: Math.ceil(bytes / 32) }, () => generatePrivateKey())).slice(0, 2 + bytes * 2) as Hex

/** A transaction as the relayer sends it, unsigned, with one authorization. */
const transaction = async (data: Hex) => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const authorization = await owner.signAuthorization({ address: address(1), chainId: 8_453, nonce: 3 })
  return serializeTransaction({
    type: "eip7702",
    chainId: 8_453,
    nonce: 123_456,
    gas: 400_000n,
    maxFeePerGas: parseGwei("1"),
    maxPriorityFeePerGas: parseGwei("0.1"),
    to: owner.address,
    data,
    authorizationList: [authorization]
  })
}

layer(Node.layer, { excludeTestServices: true })("DataFee", (it) => {
  it.effect("is nothing where a chain charges for execution alone", () =>
    Effect.gen(function* () {
      const fee = yield* DataFee.estimate(yield* clientOf(undefined), address(2), "0x1234")
      assert.deepStrictEqual(fee, { dataGas: 0n, fee: RollupFee.NONE })
    })
  )

  it.effect("is not guessed where the chain does not tell it", () =>
    Effect.gen(function* () {
      for (const model of ["op-stack", "arbitrum"] as const) {
        const error = yield* Effect.flip(DataFee.estimate(yield* clientOf(model), address(2), "0x1234"))
        assert.strictEqual(error._tag, "ChainUnavailable")
        assert.match(error.message, /check the chain's `dataFee`/)
      }
    })
  )

  it.effect(
    "covers what the OP stack charges for the relayer's transaction, and not much more than the worst of it",
    () =>
      Effect.gen(function* () {
        yield* installOpStack
        const client = yield* clientOf("op-stack")
        const node = yield* Node
        for (const data of [
          random(68),
          random(900),
          random(2_500),
          concatHex([random(300), pad("0x", { size: 900 })])
        ]) {
          const { dataGas, fee } = yield* DataFee.estimate(client, address(2), data)
          const { data: dataFee } = fee
          const serialized = yield* Effect.promise(() => transaction(data))
          const charged = yield* node.ask("the fee", (reader) =>
            reader.readContract({ address: ORACLE, abi: oracleAbi, functionName: "getL1Fee", args: [serialized] })
          )
          assert.strictEqual(dataGas, 0n)
          // The oracle has no function for the operator's fee before Isthmus.
          assert.strictEqual(RollupFee.operatorFee(fee, 1_000_000n), 0n)
          assert.isTrue(dataFee >= charged, `${dataFee} covers ${charged}`)
          // Random bytes cannot be compressed, so their fee is near the bound.
          if (size(data) > 800 && data.slice(-64) !== "0".repeat(64)) assert.isTrue(dataFee * 100n <= charged * 125n)
        }
      })
  )

  it.effect("is that of the operator, too, by the formulas of both upgrades", () =>
    Effect.gen(function* () {
      const node = yield* Node
      const client = yield* clientOf("op-stack")
      const [SCALAR, CONSTANT] = [1_357n, 246_800n]
      // Isthmus: gas * scalar / 10^6 + constant. Jovian: gas * scalar * 100 + constant.
      const formulas = [
        { times: SCALAR, by: 1_000_000n },
        { times: SCALAR * 100n, by: 1n }
      ]
      for (const { by, times } of formulas) {
        yield* node.ask("stand in for the oracle", (reader) =>
          reader.setCode({ address: ORACLE, bytecode: operatorOracle(times, by, CONSTANT) })
        )
        const { fee } = yield* DataFee.estimate(client, address(2), "0x1234")
        assert.strictEqual(fee.data, 1_000n)
        for (const gas of [0n, 1n, 21_000n, 345_678n, 30_000_000n]) {
          const charged = (gas * times) / by + CONSTANT
          const counted = RollupFee.operatorFee(fee, gas)
          assert.isTrue(counted >= charged && counted <= charged + 1n, `${counted} covers ${charged} for ${gas} gas`)
        }
      }
    })
  )

  it.effect("is gas on Arbitrum, a tenth more than its nodes say, for all of the transaction's bytes", () =>
    Effect.gen(function* () {
      const node = yield* Node
      // Answers the size of what it was asked, as the first of three words.
      yield* node.ask("stand in for the node", (client) =>
        client.setCode({ address: NODE_INTERFACE, bytecode: "0x3660005260606000f3" })
      )
      const client = yield* clientOf("arbitrum")
      const dataGasOf = (data: Hex) => Effect.map(DataFee.estimate(client, address(2), data), ({ dataGas }) => dataGas)
      const small = yield* dataGasOf(random(32))
      // A selector, four words of arguments and the length, the data, and three words for the authorization.
      assert.strictEqual(small, (BigInt(4 + 4 * 32 + 32 + 96) * 11n) / 10n)
      assert.strictEqual(yield* dataGasOf(random(320)), (BigInt(4 + 4 * 32 + 320 + 96) * 11n) / 10n)
    })
  )
})
