/** Accounts of a remote signer against a fake that speaks Web3Signer's interface, and that lies. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Transaction, Wallet } from "ethers"
import * as LaneKeys from "../../../src/adapters/evm/keys/LaneKeys.ts"
import { inProcess } from "../../../src/adapters/evm/keys/KeyAccount.ts"
import * as SignerAnswers from "../../../src/adapters/evm/keys/SignerAnswers.ts"
import * as VaultAccount from "../../../src/adapters/evm/keys/VaultAccount.ts"
import * as RemoteSigner from "../../../src/adapters/signers/RemoteSigner.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { relayerKeysSuite, unsigned } from "../../ports/orchestrator/RelayerKeys.suite.ts"
import { vaultKeySuite } from "../../ports/builder/VaultKey.suite.ts"
import { askedIn, signed, signer } from "../../support/FakeSigner.ts"
import { StubServer } from "../../support/StubServer.ts"

const key: Hex = `0x${"11".repeat(32)}`
const other: Hex = `0x${"22".repeat(32)}`
const address = Address.of(new Wallet(key).address)

const authorization = {
  address: Address.of(`0x${"33".repeat(20)}`),
  chainId: 8453,
  nonce: 5n,
  r: `0x${"44".repeat(32)}`,
  s: `0x${"55".repeat(32)}`,
  yParity: 1
} as const
const typeFour = { ...unsigned, nonce: 7n, value: 3n, authorizationList: [authorization] }

const accountAt = (timeoutMillis: number, path = "") =>
  Effect.flatMap(StubServer, ({ url }) =>
    RemoteSigner.account({ url: url + path, address, token: Redacted.make("5ec4e7"), timeoutMillis })
  ).pipe(Effect.provide(FetchHttpClient.layer))

const honest = StubServer.answering(signer(key))
const account = accountAt(60_000)

relayerKeysSuite("a remote signer", {
  layer: LaneKeys.layer([Effect.map(account, inProcess)]).pipe(Layer.provide(honest)),
  lanes: [address]
})

vaultKeySuite("a remote signer", { layer: VaultAccount.layer(account).pipe(Layer.provide(honest)), vault: address })

/** Changes of one field each. */
const CHANGES: Readonly<Record<string, (transaction: Transaction) => void>> = {
  chainId: (each) => (each.chainId = 1n),
  nonce: (each) => (each.nonce = 8),
  to: (each) => (each.to = `0x${"66".repeat(20)}`),
  value: (each) => (each.value = 4n),
  data: (each) => (each.data = "0xabcdee"),
  gas: (each) => (each.gasLimit = 200_001n),
  maxFeePerGas: (each) => (each.maxFeePerGas = 4_000_000_000n),
  maxPriorityFeePerGas: (each) => (each.maxPriorityFeePerGas = 2_000_000n),
  "a list or the encoding": (each) =>
    (each.accessList = [{ address: `0x${"77".repeat(20)}`, storageKeys: [`0x${"88".repeat(32)}`] }])
}

const withoutList = (each: Transaction) => {
  each.authorizationList = []
}

describe("a remote signer", () => {
  it.effect("is asked for the chain of the transaction, with its token", () =>
    Effect.gen(function* () {
      const { signTransaction } = yield* accountAt(60_000, "/chains/{chainId}")
      const { raw } = yield* signTransaction(typeFour)
      assert.strictEqual(raw.slice(0, 4), "0x04")
      const [seen] = yield* (yield* StubServer).seen
      assert.strictEqual(seen?.path, "/chains/8453")
      assert.strictEqual(seen?.headers.get("authorization"), "Bearer 5ec4e7")
    }).pipe(Effect.provide(honest))
  )

  it.effect.each(Object.entries(CHANGES))("is not believed if it changes %s", ([field, change]) =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer(signer(key, change))
      const { detail } = yield* Effect.flip((yield* account).signTransaction(typeFour))
      assert.strictEqual(detail, `remote signer: the signed transaction differs from the asked one in ${field}`)
    }).pipe(Effect.provide(honest))
  )

  it.effect("is not believed if it drops or changes an authorization, or signs another type", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      const { signTransaction } = yield* account
      yield* answer(signer(key, withoutList))
      const dropped = yield* Effect.flip(signTransaction(typeFour))
      assert.include(dropped.detail, "differs from the asked one")
      yield* answer((seen) => {
        const asked = askedIn(seen)
        const [first] = asked.authorizationList ?? []
        const changed = first === undefined ? [] : [{ ...first, nonce: "0x6" }]
        return {
          status: 200,
          body: { jsonrpc: "2.0", id: 1, result: signed(key, { ...asked, authorizationList: changed }) }
        }
      })
      assert.include((yield* Effect.flip(signTransaction(typeFour))).detail, "differs from the asked one in a list")
      yield* answer((seen) => {
        const { authorizationList: _list, ...plain } = askedIn(seen)
        return { status: 200, body: { jsonrpc: "2.0", id: 1, result: signed(key, { ...plain, type: "0x2" }) } }
      })
      assert.include((yield* Effect.flip(signTransaction(typeFour))).detail, "differs from the asked one in type")
    }).pipe(Effect.provide(honest))
  )

  it.effect("is not believed if another key signs", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer((seen) => ({
        status: 200,
        body: { jsonrpc: "2.0", id: 1, result: { raw: signed(other, askedIn(seen)), tx: {} } }
      }))
      const { detail } = yield* Effect.flip((yield* account).signTransaction(unsigned))
      assert.strictEqual(detail, "remote signer: the transaction is signed by another account")
    }).pipe(Effect.provide(honest))
  )

  it.effect("fails without a text of the signer", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      const { signAuthorization, signTransaction } = yield* account
      for (const [reply, detail] of [
        [
          { status: 200, body: { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "5ec4e7" } } },
          "it refuses eth_signTransaction with code -32000"
        ],
        [{ status: 503, body: "5ec4e7" }, "HTTP 503"],
        [{ status: 200, body: { result: "5ec4e7" } }, "HTTP 200 with a malformed body"],
        [{ status: 200, body: { result: "0x02c0" } }, "the answer is not a signed transaction"]
      ] as const) {
        yield* answer(reply)
        const refused = yield* Effect.flip(signTransaction(unsigned))
        assert.strictEqual(refused.detail, `remote signer: ${detail}`)
      }
      assert.include((yield* Effect.flip(signAuthorization(authorization))).detail, "EIP-7702")
    }).pipe(Effect.provide(honest))
  )

  it.live("has a timeout", () =>
    Effect.gen(function* () {
      const { signTransaction } = yield* accountAt(100)
      assert.strictEqual(
        (yield* Effect.flip(signTransaction(unsigned))).detail,
        "remote signer: no answer within 100 ms"
      )
    }).pipe(Effect.provide(StubServer.answering(() => ({ status: 200, silent: true }))))
  )

  const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  const honestBytes = Buffer.from(
    signed(key, { ...RemoteSigner.parametersOf(address, typeFour), from: new Wallet(key).address }).slice(2),
    "hex"
  )
  it.prop(
    "gives no other bytes: any changed byte is refused, or is the signature's",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })), Byte],
    ([position, byte]) => {
      const bytes = Buffer.from(honestBytes)
      const at = position % bytes.length
      if (bytes[at] === byte) return
      bytes[at] = byte
      const read = SignerAnswers.transactionSignature(`0x${bytes.toString("hex")}`, typeFour)
      // The last 67 bytes are parity, r and s, which recovering the sender checks.
      assert.isTrue(read._tag === "Failure" || at >= bytes.length - 67)
    }
  )
})
