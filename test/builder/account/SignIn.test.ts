import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schema } from "effect"
import { createSiweMessage } from "viem/siwe"
import * as Adapter from "../../../src/adapters/siwe/SignInMessages.ts"
import { accepts, lacksNonce, type SiweMessage, type SiwePolicy } from "../../../src/domain/Siwe.ts"
import { SignInMessages } from "../../../src/ports/builder/SignInMessages.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const NOW = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

const policy: SiwePolicy = {
  origins: ["https://dashboard.example.com", "http://localhost:5173"],
  resourceOrigins: ["https://builder.example.com"],
  lifetimeMillis: 10 * MINUTE,
  clockSkewMillis: 5 * MINUTE
}

const message: SiweMessage = {
  scheme: undefined,
  domain: "dashboard.example.com",
  address: FakeChain.address(0xaa),
  uri: "https://dashboard.example.com/login",
  version: "1",
  chainId: 8453,
  nonce: "12345678",
  issuedAtMs: NOW,
  expirationMs: undefined,
  notBeforeMs: undefined
}

const parse = (text: string) =>
  Effect.map(SignInMessages, (messages) => messages.parse(text)).pipe(Effect.provide(Adapter.layer))

const refusal = (by: SiwePolicy, refused: SiweMessage) => Result.getOrThrow(Result.flip(accepts(by, refused, NOW)))

describe("what a sign-in message must say", () => {
  const accepted: ReadonlyArray<Partial<SiweMessage>> = [
    {},
    { scheme: "https" },
    { domain: "localhost:5173", uri: "http://localhost:5173" },
    { domain: "DASHBOARD.example.com" },
    { uri: "https://builder.example.com/auth/verify" },
    { chainId: 1 },
    { chainId: 10 },
    { issuedAtMs: NOW + 5 * MINUTE },
    { issuedAtMs: NOW - 15 * MINUTE },
    { expirationMs: NOW + 1, notBeforeMs: NOW }
  ]
  it.effect.each(accepted)("%o is accepted", (change) =>
    Effect.sync(() => assert.isTrue(Result.isSuccess(accepts(policy, { ...message, ...change }, NOW))))
  )

  const refused: ReadonlyArray<readonly [string, Partial<SiweMessage>]> = [
    ["domain", { domain: "example.com" }],
    ["domain", { domain: "dashboard.example.com:8443" }],
    ["domain", { domain: "localhost" }],
    ["domain", { domain: "dashboard.example.com.evil.com" }],
    ["scheme", { scheme: "http" }],
    ["uri", { uri: "http://localhost:5173" }],
    ["uri", { uri: "https://dashboard.example.com@evil.com/" }],
    ["uri", { uri: "urn:dashboard" }],
    ["uri", { uri: "not a uri" }],
    ["version", { version: "2" }],
    ["issued_in_future", { issuedAtMs: NOW + 5 * MINUTE + 1 }],
    ["stale", { issuedAtMs: NOW - 15 * MINUTE - 1 }],
    ["expired", { expirationMs: NOW }],
    ["not_yet_valid", { notBeforeMs: NOW + 1 }]
  ]
  it.effect.each(refused)("%s: %o is refused", ([reason, change]) =>
    Effect.sync(() => assert.strictEqual(refusal(policy, { ...message, ...change }), reason))
  )

  it("a deployment without a dashboard takes none", () => {
    assert.strictEqual(refusal({ ...policy, origins: [] }, message), "domain")
  })
})

describe("reading sign-in messages", () => {
  const text = createSiweMessage({
    address: FakeChain.address(0xaa),
    domain: "localhost:5173",
    scheme: "http",
    uri: "http://localhost:5173/login",
    version: "1",
    chainId: 8453,
    nonce: "abcDEF123",
    statement: "Sign in.",
    issuedAt: new Date(NOW),
    expirationTime: new Date(NOW + 1),
    notBefore: new Date(NOW - 1),
    requestId: "r1",
    resources: ["https://example.com/terms"]
  })

  it.effect("gives every field of a message that another library wrote", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* parse(text),
        Option.some({
          scheme: "http",
          domain: "localhost:5173",
          address: FakeChain.address(0xaa),
          uri: "http://localhost:5173/login",
          version: "1",
          chainId: 8453,
          nonce: "abcDEF123",
          issuedAtMs: NOW,
          expirationMs: NOW + 1,
          notBeforeMs: NOW - 1
        })
      )
    })
  )

  const broken: ReadonlyArray<readonly [string, (text: string) => string]> = [
    ["a line more", (whole) => `${whole}\nAdmin: true`],
    ["a trailing newline", (whole) => `${whole}\n`],
    ["another order", (whole) => whole.replace(/(Version: 1)\n(Chain ID: 8453)/, "$2\n$1")],
    ["a wrong checksum", (whole) => whole.replace("0xaAaAaAaa", "0xAaAaAaaa")],
    ["an impossible date", (whole) => whole.replace("2026-01-01", "2026-02-30")],
    ["a leap second", (whole) => whole.replace("00:00:00.000Z", "00:00:60.000Z")],
    ["no chain", (whole) => whole.replace("Chain ID: 8453\n", "")],
    ["version 2", (whole) => whole.replace("Version: 1", "Version: 2")],
    ["carriage returns", (whole) => whole.replaceAll("\n", "\r\n")],
    ["a long statement", (whole) => whole.replace("Sign in.", "x".repeat(5_000))]
  ]
  it.effect.each(broken)("refuses %s", ([, change]) =>
    Effect.gen(function* () {
      assert.notStrictEqual(change(text), text)
      assert.isTrue(Option.isNone(yield* parse(change(text))))
      assert.isFalse(lacksNonce(change(text)))
    })
  )

  it.effect("tells a missing nonce from a text that is no message", () =>
    Effect.gen(function* () {
      for (const nonce of ["", "Nonce: \n", "Nonce: 1234567\n", "Nonce: no spaces\n", "nonce: 12345678\n"]) {
        const without = text.replace(/Nonce: .*\n/, nonce)
        assert.isTrue(Option.isNone(yield* parse(without)))
        assert.isTrue(lacksNonce(without))
      }
      assert.isFalse(lacksNonce("hello"))
      assert.isFalse(lacksNonce(""))
    })
  )

  it.effect.prop("reads any text without failing", [Schema.String], ([any]) =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* parse(any)))
      yield* parse(text.replace("Sign in.", any))
    })
  )
})
