import { existsSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DETERMINISTIC_DEPLOYER, DETERMINISTIC_DEPLOYER_CODE } from "../../src/adapters/evm/contracts/Deployment.ts"
import * as Anvil from "../../src/devnet/Anvil.ts"

describe("Anvil.start", () => {
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
})
