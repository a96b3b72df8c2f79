import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Role, ROLES } from "../../src/domain/Role.ts"
import * as ProcessShareFlags from "../../src/cli/ProcessShareFlags.ts"

const read = (roles: string, chains = "all") => ProcessShareFlags.read({ roles, chains }, [8453, 42161])

const refusal = (roles: string, chains?: string) =>
  Effect.map(Effect.flip(read(roles, chains)), ({ message }) => message)

describe("--roles and --chains", () => {
  it.effect("name all roles and chains, some, or one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read("all"), {
        roles: new Set(ROLES),
        chains: undefined
      })
      assert.deepStrictEqual(yield* read("watch, relay", "42161"), {
        roles: new Set<Role>(["relay", "watch"]),
        chains: new Set([42161])
      })
    })
  )

  it.effect("are refused with what may stand there", () =>
    Effect.gen(function* () {
      assert.include(yield* refusal("relayer"), '"relayer" is no role. Use api, relay, watch, outbox')
      assert.include(yield* refusal(""), '"" is no role')
      assert.include(yield* refusal("relay", "1"), '"1" is not in the chains file, which has 8453, 42161')
      assert.include(yield* refusal("relay", "8453,"), '"" is not in the chains file')
      assert.include(yield* refusal("api,outbox", "8453"), "this process has neither")
    })
  )
})
