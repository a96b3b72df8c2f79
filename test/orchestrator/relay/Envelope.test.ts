import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as RawKeys from "../../../src/adapters/evm/keys/RawKeys.ts"
import { isSelfSend, parse, selfSend } from "../../../src/orchestrator/relay/Envelope.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../../src/ports/shared/Transaction.ts"
import { address } from "../../support/FakeChain.ts"

const keys = RawKeys.layer([Redacted.make<Hex>(`0x${"11".repeat(32)}`)])

const plain: UnsignedTransaction = {
  chainId: 8453,
  nonce: 0n,
  to: address(0x01),
  data: "0xdeadbeef",
  gas: 231_250n,
  maxFeePerGas: 3_000_000_007n,
  maxPriorityFeePerGas: 1_000_000_001n,
  authorizationList: []
}

const authorized = Effect.gen(function* () {
  const message = { address: address(0xa1), chainId: 8453, nonce: 0n }
  const owner = privateKeyToAccount(`0x${"22".repeat(32)}`)
  const signature = yield* Effect.promise(() =>
    owner.signAuthorization({ address: message.address, chainId: message.chainId, nonce: Number(message.nonce) })
  )
  return {
    ...plain,
    nonce: 41n,
    authorizationList: [
      { ...message, r: signature.r, s: signature.s, yParity: signature.yParity === 1 ? (1 as const) : (0 as const) }
    ]
  }
})

const signed = Effect.fnUntraced(function* (transaction: UnsignedTransaction) {
  const relayer = yield* RelayerKeys
  const [lane] = relayer.lanes(transaction.chainId)
  if (lane === undefined) return yield* Effect.die("no lane")
  return { lane, ...(yield* relayer.sign(lane, transaction)) }
})

describe("signed bytes", () => {
  it.effect("say what was signed: with an authorization, and without", () =>
    Effect.gen(function* () {
      for (const transaction of [plain, yield* authorized]) {
        const { raw } = yield* signed(transaction)
        assert.deepStrictEqual(parse(raw), transaction)
      }
    }).pipe(Effect.provide(keys))
  )

  it.effect("are the same when what they say is signed again", () =>
    Effect.gen(function* () {
      const { raw } = yield* signed(yield* authorized)
      assert.strictEqual((yield* signed(parse(raw))).raw, raw)
    }).pipe(Effect.provide(keys))
  )

  it.effect("tell a self-send from a sweep", () =>
    Effect.gen(function* () {
      const sweep = yield* signed(plain)
      assert.isFalse(isSelfSend(sweep.raw, sweep.lane))
      const fees = { maxFeePerGas: 4n, maxPriorityFeePerGas: 1n }
      const cancel = yield* signed(selfSend({ chainId: 8453, lane: sweep.lane, nonce: 7n }, fees))
      assert.isTrue(isSelfSend(cancel.raw, cancel.lane))
      assert.deepStrictEqual(parse(cancel.raw).nonce, 7n)
    }).pipe(Effect.provide(keys))
  )

  it("of any other transaction are a defect", () => {
    assert.throws(() => parse("0x1234"))
  })
})
