import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { tokenRules } from "../../src/cli/RiskOptions.ts"
import { orchestrator } from "../../src/config/Orchestrator.ts"
import { snapshotFile as fileWith } from "../adapters/screening/fixture.ts"
import * as FakeChain from "../support/FakeChain.ts"

const environment = (variables: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromUnknown(variables))

const read = (tokens: ReadonlyArray<object>) =>
  Effect.flatMap(fileWith(JSON.stringify({ tokens })), (path) =>
    Effect.provide(tokenRules, environment({ TOKEN_POLICY_FILE: path }))
  ).pipe(Effect.provide(BunServices.layer))

const token = FakeChain.address(0xab)

describe("TOKEN_POLICY_FILE", () => {
  it.effect("sets no rules if it is not set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.provide(tokenRules, [environment({}), BunServices.layer]), [])
    })
  )

  it.effect("is read with addresses of any case", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([{ chainId: 1, token: token.toLowerCase(), use: "deny" }]), [
        { chainId: 1, token, use: "deny" }
      ])
    })
  )

  it.effect("is refused with all of its problems", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(
        read([
          { chainId: 1, token, use: "forbid" },
          { token, tier: "tier4" }
        ])
      )
      for (const place of ["tokens.1.use", "tokens.2.chainId", "tokens.2.tier"]) assert.include(message, place)
      const twice = yield* Effect.flip(
        read([
          { chainId: 1, token, use: "deny" },
          { chainId: 1, token, tier: "tier2" },
          { chainId: 2, token }
        ])
      )
      assert.include(twice.message, "token 2: token 1 is the same; token 3: sets neither use nor tier")
    })
  )
})

describe("RISK_SERVICES", () => {
  const services = (text: string) =>
    Effect.provide(Effect.result(orchestrator.riskServices.config), environment({ RISK_SERVICES: text }))

  it.effect("lists known sources only", () =>
    Effect.gen(function* () {
      const known = yield* services("goplus, probe")
      assert.deepStrictEqual(known._tag === "Success" && known.success, ["goplus", "probe"])
      assert.strictEqual((yield* services("goplus,gopluss"))._tag, "Failure")
    })
  )
})
