import { spawn, type ChildProcess } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createTestClient, http, publicActions, walletActions, zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { anvil } from "viem/chains"
import { sweepDelegate, sweepEntry, sweepGuard } from "../../../../src/adapters/evm/abi/contracts.generated.ts"
import * as Deployment from "../../../../src/adapters/evm/contracts/Deployment.ts"
import { sanctionsOracle } from "../../../../src/devnet/artifacts.generated.ts"
import * as Foundry from "../../../../src/devnet/Foundry.ts"
import * as Address from "../../../../src/domain/Address.ts"

const input = {
  chainId: anvil.id as number,
  guardOwner: "0x1111111111111111111111111111111111111111",
  timelockSeconds: 86_400,
  feeRecipient: "0x2222222222222222222222222222222222222222",
  wrappedNative: "0x4200000000000000000000000000000000000006",
  domainName: "Service",
  routers: [] as Array<string>,
  bridges: [] as Array<string>
}

const decode = Schema.decodeUnknownSync(Deployment.Deployment)
const config = (changes: Partial<typeof input> = {}): Deployment.Deployment => decode({ ...input, ...changes })

/** Addresses of the first generation for {@link input}. */
const FIRST = {
  guard: "0x75944c258753131d65184E1dC98F93cAE025bb6D",
  delegate: "0x0458D4771ab1923E33D18638F4B2Bb5a41A96c74",
  entry: "0xadC7823707F1fFD255742CC74743E4Ae6F6e96d9"
}

/** Its guard with the router 0x33…33 and the bridge 0x44…44. */
const FIRST_WITH_TARGETS = "0xEFD4599A621336DAAFF8F0B956eF3E1D44270806"

const addresses = (plan: Deployment.Plan) => Object.values(plan.contracts).map((contract) => contract.address)

describe("plan", () => {
  it("fixes three distinct addresses, the same for the same parameters", () => {
    const planned = Deployment.plan(config())
    expect(new Set(addresses(planned)).size).toBe(3)
    expect(Deployment.plan(config())).toEqual(planned)
  })

  it("gives the same addresses on every chain", () => {
    expect(addresses(Deployment.plan(config({ chainId: 8453 })))).toEqual(addresses(Deployment.plan(config())))
  })

  it("moves all contracts with every constructor argument: the entry knows its delegate", () => {
    const before = Deployment.plan(config()).contracts
    const changes: ReadonlyArray<Partial<typeof input>> = [
      { guardOwner: "0x3333333333333333333333333333333333333333" },
      { timelockSeconds: 1 },
      { feeRecipient: "0x3333333333333333333333333333333333333333" },
      { wrappedNative: zeroAddress },
      { domainName: "Other" },
      { routers: ["0x3333333333333333333333333333333333333333"] },
      { bridges: ["0x3333333333333333333333333333333333333333"] }
    ]
    for (const change of changes) {
      const after = Deployment.plan(config(change)).contracts
      expect(after.guard.address).not.toBe(before.guard.address)
      expect(after.delegate.address).not.toBe(before.delegate.address)
      expect(after.entry.address).not.toBe(before.entry.address)
    }
  })

  it("does not depend on the order or repetition of targets", () => {
    const [a, b] = ["0x3333333333333333333333333333333333333333", "0x4444444444444444444444444444444444444444"]
    const ab = Deployment.plan(config({ routers: [a, b], bridges: [a, b] }))
    expect(Deployment.plan(config({ routers: [b, a, b], bridges: [b, b, a] }))).toEqual(ab)
  })

  it.each([
    ["a zero guard owner", { guardOwner: zeroAddress }],
    ["a zero fee recipient", { feeRecipient: zeroAddress }],
    ["an empty domain name", { domainName: "" }],
    ["a domain name of 32 bytes", { domainName: "é".repeat(16) }],
    ["a negative timelock", { timelockSeconds: -1 }]
  ])("refuses %s", (_, change) => {
    expect(() => config(change)).toThrow()
  })

  it("accepts a domain name of 31 bytes", () => {
    expect(() => Deployment.plan(config({ domainName: "x".repeat(31) }))).not.toThrow()
  })
})

describe("the first generation", () => {
  /** As it was deployed: accounts are delegated to this address. */
  it("stays where it was", () => {
    const { contracts, generation } = Deployment.plan(config(), 1)
    expect(generation).toBe(1)
    expect(Object.fromEntries(Object.entries(contracts).map(([name, { address }]) => [name, address]))).toEqual(FIRST)
    const [router, bridge] = [
      "0x3333333333333333333333333333333333333333",
      "0x4444444444444444444444444444444444444444"
    ]
    const targets = Deployment.plan(config({ routers: [router], bridges: [bridge] }), 1)
    expect(targets).toEqual(Deployment.plan(config({ routers: [bridge], bridges: [router] }), 1))
    expect(targets.contracts.guard.address).toBe(FIRST_WITH_TARGETS)
  })

  it("is planned apart from the current one", () => {
    const [first, ...others] = Deployment.earlierPlans(config())
    expect(others).toEqual([])
    expect(first).toEqual(Deployment.plan(config(), 1))
    const current = addresses(Deployment.plan(config()))
    expect(addresses(Deployment.plan(config(), 1)).some((address) => current.includes(address))).toBe(false)
  })
})

describe("judge", () => {
  const planned = Deployment.plan(config())
  const { guard } = planned.contracts

  it("tells right, missing and wrong code apart", () => {
    expect(Deployment.judge(guard, guard.runtimeCode)).toBe("right")
    expect(Deployment.judge(guard, "0x")).toBe("missing")
    expect(Deployment.judge(guard, undefined)).toBe("missing")
    const other = Deployment.plan(config({ timelockSeconds: 1 })).contracts.guard
    expect(Deployment.judge(guard, other.runtimeCode)).toBe("wrong")
  })

  it("leaves out what is there", () => {
    const sent = (findings: Record<Deployment.ContractName, Deployment.Finding>) =>
      Deployment.outstanding(planned, findings).map((transaction) => transaction.contract)
    expect(sent({ guard: "missing", delegate: "missing", entry: "missing" })).toEqual(["guard", "entry"])
    expect(sent({ guard: "right", delegate: "right", entry: "missing" })).toEqual(["entry"])
    expect(sent({ guard: "right", delegate: "right", entry: "wrong" })).toEqual([])
  })
})

describe("on a chain", () => {
  let node: ChildProcess
  let client: ReturnType<typeof connect>
  const account = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")

  const connect = (port: number) =>
    createTestClient({ mode: "anvil", account, chain: anvil, transport: http(`http://127.0.0.1:${port}`) })
      .extend(publicActions)
      .extend(walletActions)

  beforeAll(async () => {
    const binary = Effect.runSync(Foundry.binary("anvil"))
    node = spawn(binary, ["--port", "0", "--hardfork", "prague"], { stdio: ["ignore", "pipe", "inherit"] })
    const port = await new Promise<number>((resolve, reject) => {
      let output = ""
      node.once("exit", (code) => reject(new Error(`anvil stopped with ${code}`)))
      node.stdout?.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        const listening = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)
        if (listening) resolve(Number(listening[1]))
      })
    })
    client = connect(port)
    await client.setBalance({ address: account.address, value: 10n ** 20n })
  })

  afterAll(() => node.kill())

  const send = async (to: Address.Address | null, data: `0x${string}`) =>
    client.waitForTransactionReceipt({ hash: await client.sendTransaction({ to, data }), pollingInterval: 50 })

  it("deploys to the planned addresses exactly the planned code", async () => {
    const place = async () => {
      const hash = await client.deployContract({
        abi: sanctionsOracle.abi,
        bytecode: sanctionsOracle.creationCode,
        args: [account.address]
      })
      const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
      return Address.of(receipt.contractAddress ?? zeroAddress)
    }
    const target = await place()
    const spokePool = await place()
    const planned = Deployment.plan(config({ routers: [target], bridges: [spokePool] }))

    const deployer = await client.getCode({ address: Deployment.DETERMINISTIC_DEPLOYER })
    expect(Deployment.hasDeployer(deployer)).toBe(true)
    for (const contract of Object.values(planned.contracts)) {
      expect(Deployment.judge(contract, await client.getCode({ address: contract.address }))).toBe("missing")
    }
    for (const transaction of planned.transactions) {
      expect((await send(transaction.to, transaction.data)).status).toBe("success")
    }
    for (const contract of Object.values(planned.contracts)) {
      expect(Deployment.judge(contract, await client.getCode({ address: contract.address }))).toBe("right")
    }

    const guard = { abi: sweepGuard.abi, address: planned.contracts.guard.address } as const
    const delegate = { abi: sweepDelegate.abi, address: planned.contracts.delegate.address } as const
    expect(await client.readContract({ ...guard, functionName: "delegate" })).toBe(delegate.address)
    expect(await client.readContract({ ...guard, functionName: "owner" })).toBe(config().guardOwner)
    expect(await client.readContract({ ...guard, functionName: "timelock" })).toBe(86_400n)
    expect(await client.readContract({ ...guard, functionName: "isTarget", args: [target, 0] })).toBe(true)
    expect(await client.readContract({ ...guard, functionName: "isTarget", args: [spokePool, 1] })).toBe(true)
    expect(await client.readContract({ ...guard, functionName: "isTarget", args: [spokePool, 0] })).toBe(false)
    expect(await client.readContract({ ...delegate, functionName: "guard" })).toBe(guard.address)
    expect(await client.readContract({ ...delegate, functionName: "feeRecipient" })).toBe(config().feeRecipient)
    expect(await client.readContract({ ...delegate, functionName: "wrappedNative" })).toBe(config().wrappedNative)
    expect((await client.readContract({ ...delegate, functionName: "eip712Domain" }))[1]).toBe("Service")
    expect(
      await client.readContract({
        abi: sweepEntry.abi,
        address: planned.contracts.entry.address,
        functionName: "run",
        args: [[]]
      })
    ).toBe(0n)
  })

  it("cannot list a target without code", async () => {
    const planned = Deployment.plan(config({ routers: ["0x3333333333333333333333333333333333333333"] }))
    const [guard] = planned.transactions
    await expect(client.call({ to: guard?.to, data: guard?.data ?? "0x" })).rejects.toThrow()
  })
})
