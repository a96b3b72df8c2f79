/** The deployment of a chain's contracts, on real nodes that hold nothing else. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Hex, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as Deployer from "../../../../src/adapters/evm/contracts/Deployer.ts"
import * as Deployment from "../../../../src/adapters/evm/contracts/Deployment.ts"
import * as RawKeys from "../../../../src/adapters/evm/keys/RawKeys.ts"
import * as Anvil from "../../../../src/devnet/Anvil.ts"
import type { ChainMoney } from "../../../../src/domain/ChainMoney.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import { RelayerKeys } from "../../../../src/ports/orchestrator/RelayerKeys.ts"
import { address, chain as template } from "../../../support/FakeChain.ts"

const TARGET = address(0x5a)

/** A fresh node, the deployer's key with gas, and a contract to allow as target. The chain has these limits of the operator. */
const freshWith = Effect.fnUntraced(function* (limits: ChainMoney) {
  const anvil = yield* Anvil.start({ chainId: 31_337 })
  const key = generatePrivateKey()
  const lane = privateKeyToAccount(key).address
  yield* anvil.ask("endow", (node) => node.setBalance({ address: lane, value: parseEther("10") }))
  yield* anvil.ask("place the target", (node) => node.setCode({ address: TARGET, bytecode: "0x6001" }))
  const context = yield* Layer.build(
    Layer.mergeAll(
      EvmChains.layer([{ chain: { ...template, ...limits }, rpcUrls: [anvil.rpcUrl] }]).pipe(
        Layer.provide(FetchHttpClient.layer)
      ),
      RawKeys.layer([Redacted.make<Hex>(key)])
    )
  )
  const client = yield* Context.get(context, Chains).get(template.id)
  const keys = Context.get(context, RelayerKeys)
  const plan = Deployment.plan({
    chainId: template.id,
    guardOwner: address(0x99),
    timelockSeconds: 60,
    feeRecipient: template.feeRecipient,
    wrappedNative: template.wrappedNative,
    domainName: "Service",
    routers: [TARGET],
    bridges: []
  })
  const [sender] = keys.lanes(template.id)
  if (sender === undefined) throw new Error("there is no lane")
  return {
    account: privateKeyToAccount(key),
    anvil,
    client,
    keys,
    plan,
    inspect: Deployer.inspect(client, plan),
    deploy: Deployer.deploy(client, plan, { keys, lane: sender }),
    spent: client.transactionCount(sender, "latest")
  }
})

const fresh = freshWith({})

const MISSING = { guard: "missing", delegate: "missing", entry: "missing" } as const
const RIGHT = { guard: "right", delegate: "right", entry: "right" } as const

layer(BunServices.layer, { excludeTestServices: true })("Deployer", (it) => {
  it.effect("deploys what is missing where it was planned to be, and has nothing to do then", () =>
    Effect.gen(function* () {
      const { deploy, inspect, spent } = yield* fresh
      assert.deepStrictEqual(yield* inspect, MISSING)
      assert.deepStrictEqual(yield* deploy, { deployed: ["guard", "entry"], findings: RIGHT })
      assert.deepStrictEqual(yield* inspect, RIGHT)
      assert.strictEqual(yield* spent, 2n)
      assert.deepStrictEqual(yield* deploy, { deployed: [], findings: RIGHT })
      assert.strictEqual(yield* spent, 2n)
    })
  )

  it.effect("goes on where another run stopped", () =>
    Effect.gen(function* () {
      const { anvil, deploy, inspect, plan } = yield* fresh
      const { address: at, runtimeCode } = plan.contracts.entry
      yield* anvil.ask("place the entry", (node) => node.setCode({ address: at, bytecode: runtimeCode }))
      assert.deepStrictEqual(yield* inspect, { ...MISSING, entry: "right" })
      assert.deepStrictEqual((yield* deploy).deployed, ["guard"])
      assert.deepStrictEqual(yield* inspect, RIGHT)
    })
  )

  it.effect("sends nothing where other code is than planned, and says where", () =>
    Effect.gen(function* () {
      const { anvil, deploy, plan, spent } = yield* fresh
      const { address: at } = plan.contracts.entry
      yield* anvil.ask("place something else", (node) => node.setCode({ address: at, bytecode: "0x6001" }))
      const { message } = yield* Effect.flip(deploy)
      assert.strictEqual(message, `chain 31337: the chain differs from the plan: entry at ${at} is wrong`)
      assert.strictEqual(yield* spent, 0n)
    })
  )

  it.effect("names the deterministic deployer where a chain lacks it", () =>
    Effect.gen(function* () {
      const { anvil, deploy, spent } = yield* fresh
      yield* anvil.ask("remove the deployer", (node) =>
        node.setCode({ address: Deployment.DETERMINISTIC_DEPLOYER, bytecode: "0x" })
      )
      const { message } = yield* Effect.flip(deploy)
      assert.include(message, Deployment.DETERMINISTIC_DEPLOYER)
      assert.strictEqual(yield* spent, 0n)
    })
  )

  it.effect("does not send a constructor that would revert, such as for a target without code", () =>
    Effect.gen(function* () {
      const { anvil, deploy, spent } = yield* fresh
      yield* anvil.ask("remove the target", (node) => node.setCode({ address: TARGET, bytecode: "0x" }))
      const { message } = yield* Effect.flip(deploy)
      assert.include(message, "the guard's constructor would revert")
      assert.strictEqual(yield* spent, 0n)
    })
  )

  it.effect("queues behind a transaction of the account that is pending", () =>
    Effect.gen(function* () {
      const { account, anvil, client, keys, plan, spent } = yield* fresh
      const [lane] = keys.lanes(template.id)
      if (lane === undefined) throw new Error("there is no lane")
      yield* anvil.ask("leave a transaction pending", async (node) => {
        await node.setAutomine(false)
        await node.sendTransaction({ account, chain: node.chain, to: TARGET, gas: 30_000n })
      })
      const mine = Effect.orDie(anvil.ask("mine", (node) => node.mine({ blocks: 1 })))
      const mining = { ...client, send: (raw: Hex) => Effect.tap(client.send(raw), mine) }
      assert.deepStrictEqual((yield* Deployer.deploy(mining, plan, { keys, lane })).findings, RIGHT)
      assert.strictEqual(yield* spent, 3n)
    })
  )

  it.effect("sends nothing while the base fee is above the chain's limit, and names the setting", () =>
    Effect.gen(function* () {
      const { deploy, spent } = yield* freshWith({ maxFeePerGasWei: 1n, minPriorityFeePerGasWei: 0n })
      const { message } = yield* Effect.flip(deploy)
      assert.match(message, /the base fee is \d+ wei per gas, above the limit of 1\b.*maxFeePerGasWei/)
      assert.strictEqual(yield* spent, 0n)
    })
  )

  it.effect("says that the account cannot pay", () =>
    Effect.gen(function* () {
      const { anvil, client, keys, plan } = yield* fresh
      const [lane] = keys.lanes(template.id)
      if (lane === undefined) throw new Error("there is no lane")
      yield* anvil.ask("take the gas", (node) => node.setBalance({ address: lane, value: 1n }))
      const error = yield* Effect.flip(Deployer.deploy(client, plan, { keys, lane }))
      assert.strictEqual(error._tag === "SendRejected" ? error.reason : error.message, "InsufficientFunds")
    })
  )
})
