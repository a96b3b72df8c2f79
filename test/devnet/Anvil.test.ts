import { existsSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DETERMINISTIC_DEPLOYER, DETERMINISTIC_DEPLOYER_CODE } from "../../src/adapters/evm/contracts/Deployment.ts"
import * as Anvil from "../../src/devnet/Anvil.ts"

describe("Anvil.start", () => {
  it.live("runs two chains side by side, and leaves no process behind", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.gen(function* () {
        const chains = yield* Effect.all([Anvil.start({ chainId: 31337 }), Anvil.start({ chainId: 31338 })], {
          concurrency: 2
        })
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

  it.live("writes no states to the home directory, however long it runs, and can read those of the newest blocks", () =>
    Effect.gen(function* () {
      const written = () => {
        const directory = join(homedir(), ".foundry", "anvil", "tmp")
        if (!existsSync(directory)) return []
        const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
        return entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
      }
      const before = new Set(written())
      const chain = yield* Anvil.start({ chainId: 31337 })
      yield* chain.ask("mine", (client) => client.mine({ blocks: 2_000 }))
      const address = DETERMINISTIC_DEPLOYER
      const old = yield* chain.ask("old state", (client) => client.getCode({ address, blockNumber: 1_800n }))
      assert.strictEqual(old, DETERMINISTIC_DEPLOYER_CODE)
      assert.deepStrictEqual(
        written().filter((name) => !before.has(name)),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("says what the node refused", () =>
    Effect.gen(function* () {
      const chain = yield* Anvil.start({ chainId: 31337 })
      const error = yield* Effect.flip(chain.ask("nonsense", (client) => client.getTransaction({ hash: "0x12" })))
      assert.strictEqual(error.step, "nonsense")
      assert.strictEqual(error.chainId, 31337)
      assert.notStrictEqual(error.detail, "")
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})
