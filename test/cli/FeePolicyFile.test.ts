import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { feeRules } from "../../src/cli/FeePolicyFile.ts"
import { snapshotFile as fileWith } from "../adapters/screening/fixture.ts"
import * as FakeChain from "../support/FakeChain.ts"

const rulesOf = (path: string) =>
  Effect.provide(feeRules, ConfigProvider.layer(ConfigProvider.fromUnknown({ FEE_POLICY_FILE: path })))

const read = (contents: unknown) =>
  Effect.flatMap(fileWith(typeof contents === "string" ? contents : JSON.stringify(contents)), rulesOf)

const problems = (contents: unknown) => Effect.map(Effect.flip(read(contents)), ({ message }) => message)

describe("FEE_POLICY_FILE", () => {
  const services = Layer.mergeAll(BunServices.layer)

  it.effect("sets no rules if it is not set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.provide(feeRules, ConfigProvider.layer(ConfigProvider.fromUnknown({}))), [])
    }).pipe(Effect.provide(services))
  )

  it.effect("is read with addresses of any case and exact dollars", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0xab)
      assert.deepStrictEqual(
        yield* read({
          rules: [
            { chainId: 8453, tokenIn: token.toLowerCase(), protocolBps: 5, minUsd: "0.05", maxUsd: "20" },
            { builderId: "acme", subscriberShareBps: 0 }
          ]
        }),
        [
          {
            chainId: 8453,
            tokenIn: token,
            protocolBps: 5,
            minUsd: 5n * 10n ** 16n,
            maxUsd: 20n * 10n ** 18n
          },
          { builderId: "acme", subscriberShareBps: 0 }
        ]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("is refused with all of its problems", () =>
    Effect.gen(function* () {
      const said = yield* problems({
        rules: [{ protocolBps: 10_001 }, { chainID: 1, protocolBps: 1 }, { maxUsd: 5, tokenIn: "0x12" }],
        defaults: {}
      })
      for (const place of ["rules.1.protocolBps", "rules.2.chainID", "rules.3.maxUsd", "rules.3.tokenIn", "defaults"]) {
        assert.include(said, place)
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("is refused if rules contradict each other", () =>
    Effect.gen(function* () {
      assert.include(
        yield* problems({ rules: [{ protocolBps: 1 }, { protocolBps: 2 }] }),
        "rule 2: rule 1 has the same conditions"
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("is refused if it is missing or no JSON", () =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(rulesOf("/nonexistent/policy.json"))).message, "there is no such file")
      assert.include(yield* problems("{"), "is not JSON")
    }).pipe(Effect.provide(services))
  )
})
