/** `sweep deploy` against a real node. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { type Hex, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Deployment from "../../src/adapters/evm/contracts/Deployment.ts"
import * as UniswapV4Deployment from "../../src/adapters/evm/contracts/UniswapV4Deployment.ts"
import * as Anvil from "../../src/devnet/Anvil.ts"
import * as Edr from "../../src/devnet/Edr.ts"
import { address } from "../support/FakeChain.ts"
import { sweep } from "./sweep.ts"

const CHAIN = 31_337
const ROUTER = address(0x5a)

/** Constructor arguments that follow from the chains file below. */
const CONFIG: Deployment.Deployment = {
  chainId: CHAIN,
  guardOwner: address(0x99),
  timelockSeconds: 172_800,
  feeRecipient: address(0xf1),
  wrappedNative: address(0xe1),
  domainName: "Service",
  routers: [ROUTER],
  bridges: []
}

/** A node with a swap router, its chains file, and a funded key. */
const operator = Effect.fnUntraced(function* (start: typeof Anvil.start = Anvil.start) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const anvil = yield* start({ chainId: CHAIN })
  const key = generatePrivateKey()
  yield* anvil.ask("endow", (node) =>
    node.setBalance({ address: privateKeyToAccount(key).address, value: parseEther("10") })
  )
  yield* anvil.ask("place the router", (node) => node.setCode({ address: ROUTER, bytecode: "0x6001" }))
  const file = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
  const entry = {
    id: CHAIN,
    name: "local",
    nativeSymbol: "ETH",
    rpcUrls: [anvil.rpcUrl],
    feeRecipient: address(0xf1),
    guardOwner: address(0x99),
    wrappedNative: address(0xe1),
    stables: [],
    swapRouter: ROUTER,
    sanctionsOracle: address(0xc4),
    confirmations: 1,
    blockTimeMillis: 1_000,
    tokens: []
  }
  /** Writes the chains file, with more settings. */
  const amend = (more: Record<string, unknown>) => fs.writeFileString(file, JSON.stringify([{ ...entry, ...more }]))
  yield* amend({})
  const settings = { CHAINS_FILE: file, DEPLOYER_KEY: key }
  return {
    anvil,
    amend,
    key: key satisfies Hex,
    deploy: (...args: ReadonlyArray<string>) => sweep(["deploy", "--chain", String(CHAIN), ...args], settings),
    /** Needs no key. */
    dryRun: sweep(["deploy", "--chain", String(CHAIN), "--dry-run"], { CHAINS_FILE: file })
  }
})

/** The state of each contract in the printed table. */
const findings = (out: string) =>
  Object.fromEntries(
    [...out.matchAll(/^(guard|delegate|entry) +0x[0-9a-fA-F]{40} {2}(\w+)$/gm)].map(([, name, found]) => [name, found])
  )

const all = (found: string) => ({ guard: found, delegate: found, entry: found })

layer(BunServices.layer, { excludeTestServices: true })("sweep deploy", (it) => {
  it.effect.each([
    ["anvil", Anvil.start],
    ["EDR", Edr.start]
  ] as const)("shows what it would do, does it, and then finds nothing to do, on %s", ([, start]) =>
    Effect.gen(function* () {
      const { deploy, dryRun } = yield* operator(start)
      const before = yield* dryRun
      assert.strictEqual(before.code, 0, before.err)
      assert.deepStrictEqual(findings(before.out), all("missing"))
      assert.match(before.out, /\ngeneration 2 is not deployed\nwould deploy guard and entry\n$/)

      const deployed = yield* deploy()
      assert.strictEqual(deployed.code, 0, deployed.err)
      assert.deepStrictEqual(findings(deployed.out), all("right"))
      assert.match(deployed.out, /\ngeneration 2 is deployed\ndeployed guard and entry\n$/)
      // The contracts are at the addresses that the dry run printed.
      assert.strictEqual(deployed.out.replaceAll("right", "missing").split("\n")[0], before.out.split("\n")[0])

      for (const again of [yield* deploy(), yield* dryRun]) {
        assert.strictEqual(again.code, 0, again.err)
        assert.deepStrictEqual(findings(again.out), all("right"))
        assert.match(again.out, /\ngeneration 2 is deployed\nnothing to deploy\n$/)
      }
    })
  )

  it.effect("deploys the router for Uniswap v4 on request, and only where the entry declares it", () =>
    Effect.gen(function* () {
      const { amend, deploy, dryRun } = yield* operator()
      const undeclared = yield* deploy("--uniswap-v4")
      assert.notStrictEqual(undeclared.code, 0)
      assert.include(undeclared.err, "declares no venue of the family uniswap-v4")

      const poolManager = address(0x40)
      const { address: router } = UniswapV4Deployment.plan({ poolManager, wrappedNative: CONFIG.wrappedNative })
      const venue = { name: "uniswap-v4", family: "uniswap-v4", router, poolManager, quoter: address(0x41) }
      yield* amend({ venues: [venue] })
      const missing = new RegExp(
        `\\nuniswap-v4-router ${router} {2}missing \\(optional; deploy it with --uniswap-v4\\)\\n`
      )
      assert.match((yield* dryRun).out, missing)
      const without = yield* deploy()
      assert.match(without.out, missing)
      const deployed = yield* deploy("--uniswap-v4")
      assert.strictEqual(deployed.code, 0, deployed.err)
      assert.include(deployed.out, `\nuniswap-v4-router ${router}  right\n`)
      assert.match(deployed.out, /\ndeployed uniswap-v4-router\n$/)
      assert.match((yield* deploy("--uniswap-v4")).out, /\nnothing to deploy\n$/)
    })
  )

  it.effect("deploys the current generation beside the first, and says that both are there", () =>
    Effect.gen(function* () {
      const { amend, anvil, deploy, dryRun, key } = yield* operator()
      const first = Deployment.plan(CONFIG, 1)
      const sender = privateKeyToAccount(key)
      for (const { data, to } of first.transactions) {
        yield* anvil.ask("deploy the first generation", async (node) => {
          const hash = await node.sendTransaction({ account: sender, chain: node.chain, to, data })
          await node.waitForTransactionReceipt({ hash })
        })
      }
      const told = (state: string) =>
        new RegExp(
          `\\ngeneration 1 is deployed; ${state}:\\n  guard +${first.contracts.guard.address} {2}right\\n  delegate +${first.contracts.delegate.address} {2}right\\n  entry +${first.contracts.entry.address} {2}right\\n`
        )
      const before = yield* dryRun
      assert.deepStrictEqual(findings(before.out), all("missing"))
      assert.match(before.out, told("the chain's entry does not name it, so its intents are not followed"))
      assert.include(before.out, `Set \`priorGuard\` to ${first.contracts.guard.address}`)
      // Without the guard's name, an order could settle in both generations.
      const refused = yield* deploy()
      assert.notStrictEqual(refused.code, 0)
      assert.include(refused.err, `Set \`priorGuard\` to ${first.contracts.guard.address}`)
      yield* amend({ priorGuard: first.contracts.guard.address })
      assert.notInclude((yield* dryRun).out, "priorGuard")
      assert.match(before.out, /\ngeneration 2 is not deployed\n/)
      const deployed = yield* deploy()
      assert.strictEqual(deployed.code, 0, deployed.err)
      assert.deepStrictEqual(findings(deployed.out), all("right"))
      assert.match(deployed.out, told("its intents still settle"))
      assert.match(deployed.out, /\ngeneration 2 is deployed\n/)
      assert.notInclude(deployed.out, "missing")
      const again = yield* deploy()
      assert.match(again.out, /\nnothing to deploy\n$/)
    })
  )

  it.effect("fails in one sentence where something else is at an address", () =>
    Effect.gen(function* () {
      const { anvil, deploy, dryRun } = yield* operator()
      const guard = /^guard +(0x[0-9a-fA-F]{40})/m.exec((yield* dryRun).out)?.[1] as `0x${string}`
      yield* anvil.ask("place something else", (node) => node.setCode({ address: guard, bytecode: "0x6001" }))
      assert.strictEqual(findings((yield* dryRun).out)["guard"], "wrong")
      const { code, err, out } = yield* deploy()
      assert.strictEqual(code, 1)
      assert.strictEqual(out, "")
      assert.strictEqual(err, `sweep: chain ${CHAIN}: the chain differs from the plan: guard at ${guard} is wrong\n`)
    })
  )
})
