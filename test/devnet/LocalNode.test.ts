/** The behaviour that both programs of a local chain share. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule } from "effect"
import { numberToHex, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { DETERMINISTIC_DEPLOYER, DETERMINISTIC_DEPLOYER_CODE } from "../../src/adapters/evm/contracts/Deployment.ts"
import * as Anvil from "../../src/devnet/Anvil.ts"
import * as Edr from "../../src/devnet/Edr.ts"
import * as LocalNode from "../../src/devnet/LocalNode.ts"
import { StubServer } from "../support/StubServer.ts"

describe.each([
  ["anvil", Anvil.start],
  ["EDR", Edr.start]
] as const)("a local chain on %s", (_, start) => {
  it.live("runs beside another, and leaves no process behind", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.gen(function* () {
        const chains = yield* Effect.all([start({ chainId: 31337 }), start({ chainId: 31338 })], { concurrency: 2 })
        for (const chain of chains) {
          assert.strictEqual(yield* chain.ask("id", (client) => client.getChainId()), chain.chainId)
          const code = yield* chain.ask("code", (client) => client.getCode({ address: DETERMINISTIC_DEPLOYER }))
          assert.strictEqual(code, DETERMINISTIC_DEPLOYER_CODE)
        }
        assert.notStrictEqual(chains[0].rpcUrl, chains[1].rpcUrl)
        return chains.map((chain) => chain.pid)
      }).pipe(Effect.scoped)
      for (const pid of pids) assert.throws(() => process.kill(-pid, 0), /ESRCH/)
    }).pipe(Effect.provide(BunServices.layer))
  )

  it.live("mines at an interval and not before", () =>
    Effect.gen(function* () {
      const node = yield* start({ chainId: 31337 })
      const account = privateKeyToAccount(generatePrivateKey())
      yield* node.ask("fund", (client) => client.setBalance({ address: account.address, value: parseEther("1") }))
      // Longer than the test, so that the block below is the only one.
      yield* LocalNode.mineEvery(node, 3_600)
      const counts = yield* node.ask("send", async (client) => {
        await client.sendTransaction({ account, chain: client.chain, to: account.address })
        const count = (blockTag: "latest" | "pending") =>
          client.getTransactionCount({ address: account.address, blockTag })
        const waiting = [await count("latest"), await count("pending")]
        await client.mine({ blocks: 1 })
        return [...waiting, await count("latest")]
      })
      assert.deepStrictEqual(counts, [0, 1, 1])
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("says what the node refused", () =>
    Effect.gen(function* () {
      const chain = yield* start({ chainId: 31337 })
      const error = yield* Effect.flip(chain.ask("nonsense", (client) => client.getTransaction({ hash: "0x12" })))
      assert.strictEqual(error.step, "nonsense")
      assert.strictEqual(error.chainId, 31337)
      assert.notStrictEqual(error.detail, "")
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})

it.live("a receipt is found although a wait beside it had seen its block before", () =>
  Effect.gen(function* () {
    const [never, late] = [numberToHex(1, { size: 32 }), numberToHex(2, { size: 32 })]
    let looks = 0
    const resultOf = ({ method, params }: { readonly method: string; readonly params: ReadonlyArray<unknown> }) => {
      if (method === "eth_blockNumber") return "0x5"
      // It comes after the first look, in a block that is not followed by another one.
      return method === "eth_getTransactionReceipt" && params[0] === late && ++looks > 1
        ? { transactionHash: late, blockNumber: "0x5", status: "0x1", logs: [] }
        : null
    }
    const stub = yield* StubServer
    yield* stub.answer(({ body }) => {
      const requests = JSON.parse(body) as ReadonlyArray<Parameters<typeof resultOf>[0] & { readonly id: number }>
      return { status: 200, body: requests.map((each) => ({ jsonrpc: "2.0", id: each.id, result: resultOf(each) })) }
    })
    const client = LocalNode.clientOf(31337, stub.url)
    const wait = (hash: typeof late, timeout: number) =>
      Effect.exit(Effect.tryPromise(() => client.waitForTransactionReceipt({ hash, timeout })))
    const other = yield* Effect.forkChild(wait(never, 2_000))
    // The wait beside it has seen the block.
    yield* Effect.repeat(stub.seen, { until: (seen) => seen.length > 3, schedule: Schedule.spaced("10 millis") })
    const found = yield* wait(late, 1_000)
    assert.isTrue(Exit.isSuccess(found) && found.value.status === "success")
    assert.isTrue(Exit.isFailure(yield* Fiber.join(other)))
  }).pipe(Effect.provide(StubServer.answering(() => ({ status: 500 }))))
)
