/** Contract of every {@link SignInMessages}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { createSiweMessage } from "viem/siwe"
import * as Address from "../../../src/domain/Address.ts"
import { SignInMessages } from "../../../src/ports/builder/SignInMessages.ts"

const fields = {
  address: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  chainId: 8453,
  domain: "dashboard.example.com",
  uri: "https://dashboard.example.com/app",
  version: "1",
  nonce: "abcdef0123456789",
  issuedAt: new Date("2026-01-02T03:04:05.678Z")
} as const

export const signInMessagesSuite = (name: string, environment: Layer.Layer<SignInMessages>): void =>
  layer(environment)(`SignInMessages by ${name}`, (it) => {
    it.effect("reads the fields of a message", () =>
      Effect.gen(function* () {
        const { parse } = yield* SignInMessages
        assert.deepStrictEqual(Option.getOrThrow(parse(createSiweMessage(fields))), {
          scheme: undefined,
          domain: fields.domain,
          address: Address.of(fields.address),
          uri: fields.uri,
          version: "1",
          chainId: 8453,
          nonce: fields.nonce,
          issuedAtMs: fields.issuedAt.getTime(),
          expirationMs: undefined,
          notBeforeMs: undefined
        })
      })
    )

    it.effect("reads the optional fields", () =>
      Effect.gen(function* () {
        const { parse } = yield* SignInMessages
        const [notBefore, expirationTime] = [new Date("2026-01-02T00:00:00Z"), new Date("2026-01-03T00:00:00Z")]
        const message = createSiweMessage({
          ...fields,
          scheme: "https",
          statement: "Sign in to the dashboard.",
          requestId: "1",
          resources: ["https://dashboard.example.com/terms"],
          notBefore,
          expirationTime
        })
        const parsed = Option.getOrThrow(parse(message))
        assert.strictEqual(parsed.scheme, "https")
        assert.strictEqual(parsed.notBeforeMs, notBefore.getTime())
        assert.strictEqual(parsed.expirationMs, expirationTime.getTime())
      })
    )

    it.effect("reads no text that is not such a message", () =>
      Effect.gen(function* () {
        const { parse } = yield* SignInMessages
        const message = createSiweMessage({ ...fields, expirationTime: new Date("2026-01-03T00:00:00Z") })
        const others = [
          "",
          "sign in",
          message.replace("URI: ", "Url: "),
          message.replace(fields.nonce, "short"),
          message.replace(fields.address, "0x1234"),
          message.replace("Chain ID: 8453", "Chain ID: base"),
          message.replace("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:60.000Z"),
          message.replace("2026-01-03T00:00:00.000Z", "tomorrow"),
          `${message}\n${"x".repeat(100_000)}`
        ]
        for (const other of others) assert.isTrue(Option.isNone(parse(other)), other.slice(0, 400))
      })
    )
  })
