/** The settings of `security.txt` cannot break the file, and a policy needs a contact. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result } from "effect"
import { sentence } from "../../src/cli/Problems.ts"
import { securityContact } from "../../src/cli/SecurityOptions.ts"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.result(Effect.provide(securityContact, ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...env } }))))

const problem = (env: Readonly<Record<string, string>>) =>
  Effect.map(read(env), (result) => (Result.isFailure(result) ? sentence(result.failure) : "none"))

describe("securityContact", () => {
  it.effect("reads contacts in their order, and is absent without any", () =>
    Effect.gen(function* () {
      const both = yield* read({
        SECURITY_CONTACT: "mailto:security@example.com, https://example.com/report",
        SECURITY_POLICY_URL: "https://example.com/policy"
      })
      assert.deepStrictEqual(Result.getOrThrow(both), {
        contacts: ["mailto:security@example.com", "https://example.com/report"],
        policyUrl: "https://example.com/policy"
      })
      for (const env of [{}, { SECURITY_CONTACT: "", SECURITY_POLICY_URL: " " }]) {
        assert.isUndefined(Result.getOrThrow(yield* read(env)))
      }
    })
  )

  it.effect("refuses what is no contact, and what would begin another line of the file", () =>
    Effect.gen(function* () {
      for (const contact of [
        "security@example.com",
        "http://example.com",
        "mailto:x",
        "mailto:a@b.example\nPolicy: x"
      ]) {
        assert.include(yield* problem({ SECURITY_CONTACT: contact }), "expected URIs that begin with mailto:", contact)
      }
      assert.include(
        yield* problem({ SECURITY_CONTACT: "mailto:a@b.example", SECURITY_POLICY_URL: "http://example.com" }),
        "expected a URL that begins with https://"
      )
      assert.match(
        yield* problem({ SECURITY_POLICY_URL: "https://example.com/policy" }),
        /^SECURITY_POLICY_URL is set, but SECURITY_CONTACT is not\. /
      )
    })
  )
})
