/**
 * A restored database may remember one version of a batch's payment, and not the later one that was mined instead. The batch is booked by
 * that one, since the chain shows that no remembered version can be mined.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { decodeFunctionData, keccak256, pad, parseAbi, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as MemoryStores from "../../../src/adapters/memory/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { PayoutBatch } from "../../../src/domain/Payout.ts"
import { TRANSFER } from "../../../src/domain/Payout.ts"
import { paymentData, permitNonce, permitTypedData } from "../../../src/domain/PayoutPayment.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const signer = privateKeyToAccount(generatePrivateKey())
const VAULT = Address.of(signer.address)
const former = privateKeyToAccount(generatePrivateKey())
const TOKEN = FakeChain.address(0xd1)
const PAYEE = address(0x80)
const FORGOTTEN = hash("forgotten")

/** UNIX seconds. */
const [DEADLINE, FORMER_DEADLINE] = [3_600, 7_200]

const abi = parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"])

/** State of the chain, which a test changes. `spentAt` is the block in which the vault's Permit2 nonce of the batch was spent. */
interface Node {
  batchId: string
  spentAt: bigint | undefined
  seconds: bigint
  /** The transaction that succeeded, beside the forgotten one. */
  succeeded: string | undefined
}

const HEAD = 100n

const chainOf = (node: Node) => {
  const blockAt = (number: bigint) => ({
    number,
    hash: hash(`block ${number}`),
    parentHash: hash(`block ${number - 1n}`),
    timestamp: node.seconds,
    baseFeePerGas: 1n,
    gasLimit: 1n
  })
  return FakeChain.layer({
    chain: { ...FakeChain.chain, builderVault: VAULT, confirmations: 3 },
    block: (which) => Effect.succeedSome(blockAt(which === "latest" ? HEAD : which)),
    call: ({ block, data }) => {
      const [owner, word] = decodeFunctionData({ abi, data: data ?? "0x" }).args
      const nonce = permitNonce(node.batchId)
      const isSpent =
        Address.of(owner) === VAULT &&
        node.spentAt !== undefined &&
        typeof block === "bigint" &&
        block >= node.spentAt &&
        word === nonce >> 8n
      return Effect.succeed(toHex(isSpent ? 1n << (nonce & 0xffn) : 0n, { size: 32 }))
    },
    receipt: (transactionHash) =>
      Effect.succeed(
        transactionHash !== FORGOTTEN && transactionHash !== node.succeeded
          ? Option.none()
          : Option.some({
              transactionHash,
              blockNumber: 90n,
              blockHash: hash("block 90"),
              status: "success" as const,
              gasUsed: 1n,
              effectiveGasPrice: 1n,
              logs: [
                {
                  address: TOKEN,
                  topics: [TRANSFER, pad(VAULT, { size: 32 }), pad(PAYEE, { size: 32 })],
                  data: toHex(5n, { size: 32 }),
                  blockNumber: 90n,
                  blockHash: hash("block 90"),
                  transactionHash,
                  logIndex: 0
                }
              ]
            })
      )
  })
}

const signed = (batch: PayoutBatch, account = signer, deadline = DEADLINE) =>
  Effect.promise(async () => {
    const payer = { vault: Address.of(account.address), permit2: FakeChain.chain.permit2 }
    const signature = await account.signTypedData(permitTypedData(batch, payer, BigInt(deadline)))
    return account.signTransaction({
      type: "eip1559",
      chainId: FakeChain.chain.id,
      to: payer.permit2,
      data: paymentData(batch, payer.vault, BigInt(deadline), signature),
      gas: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      nonce: 0
    })
  })

/** Records a version that a former vault signed when it was the vault. Its permit ends after that of the present vault's version. */
const recordFormer = Effect.fnUntraced(function* (batch: PayoutBatch) {
  const raw = yield* signed(batch, former, FORMER_DEADLINE)
  const payouts = yield* Payouts
  yield* payouts.record(batch.id, { txHash: keccak256(raw), raw, deadline: FORMER_DEADLINE }, 0)
})

/** Runs a test with an open batch that has one recorded version, which is not mined, after one of a former vault if `hasFormer`. */
const rule = (
  name: string,
  test: (scene: {
    readonly node: Node
    readonly remembered: string
    readonly markPaid: Effect.Effect<PayoutBatch, { readonly _tag: string }>
    readonly fail: Effect.Effect<PayoutBatch, { readonly _tag: string }>
  }) => Effect.Effect<void, unknown>,
  { hasFormer = false }: { readonly hasFormer?: boolean } = {}
) =>
  it.effect(name, () => {
    const node: Node = { batchId: "", spentAt: undefined, seconds: 60n, succeeded: undefined }
    return Effect.gen(function* () {
      yield* TestClock.setTime(60_000)
      yield* register
      const accrual = { builderId: "alpha", sweepId: "sweep", token: TOKEN, amount: 5n, chainId: FakeChain.chain.id }
      yield* (yield* Ledger).accrue(accrual)
      const desk = yield* PayoutDesk
      const { id } = yield* desk.open({ chainId: FakeChain.chain.id, token: TOKEN, minAmount: 0n }, "test")
      node.batchId = id
      const batch = yield* desk.get(id)
      const raw = yield* signed(batch)
      if (hasFormer) yield* recordFormer(batch)
      yield* desk.record(id, raw, hasFormer ? 1 : 0, "test")
      yield* test({
        node,
        remembered: keccak256(raw),
        markPaid: desk.markPaid(id, FORGOTTEN, "test"),
        fail: desk.fail(id, "test", "test")
      })
    }).pipe(
      Effect.provide(
        PayoutDesk.layer.pipe(
          Layer.provideMerge(MemoryStores.layer),
          Layer.provide([
            chainOf(node),
            BuilderSettings.layer(builderDefaults),
            SecureRandom.layerWebCrypto,
            Layer.succeed(Screening, { clear: () => Effect.void })
          ])
        )
      )
    )
  })

const isRefused = (attempt: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(attempt), ({ _tag }) => assert.strictEqual(_tag, "PaymentInFlight"))

describe("a payment that was mined instead of the recorded version", () => {
  rule("books its batch, which cannot be given up", ({ fail, markPaid, node }) =>
    Effect.gen(function* () {
      node.spentAt = 90n
      yield* isRefused(fail)
      assert.deepInclude(yield* markPaid, { status: "paid", txHash: FORGOTTEN })
    })
  )

  rule("books it too when the deadline of the recorded version is past", ({ fail, markPaid, node }) =>
    Effect.gen(function* () {
      node.spentAt = 90n
      node.seconds = BigInt(DEADLINE + 1)
      yield* isRefused(fail)
      assert.deepInclude(yield* markPaid, { status: "paid", txHash: FORGOTTEN })
    })
  )

  rule("books nothing before the spent nonce is confirmed", ({ markPaid, node }) =>
    Effect.gen(function* () {
      node.spentAt = HEAD - 1n
      yield* isRefused(markPaid)
      node.spentAt = HEAD - 2n
      assert.strictEqual((yield* markPaid).status, "paid")
    })
  )

  rule("books nothing while the nonce is not spent, so that the recorded version may be mined", ({ markPaid, node }) =>
    Effect.gen(function* () {
      yield* isRefused(markPaid)
      node.seconds = BigInt(DEADLINE)
      yield* isRefused(markPaid)
      node.seconds = BigInt(DEADLINE + 1)
      assert.strictEqual((yield* markPaid).status, "paid")
    })
  )

  rule("books nothing if the recorded version was mined, which pays the batch", ({ markPaid, node, remembered }) =>
    Effect.gen(function* () {
      node.spentAt = 90n
      node.succeeded = remembered
      yield* isRefused(markPaid)
    })
  )

  rule(
    "books nothing while a former vault's version may be mined, since the spent nonce is that of the present vault alone",
    ({ markPaid, node }) =>
      Effect.gen(function* () {
        node.spentAt = 90n
        for (const seconds of [60, DEADLINE + 1, FORMER_DEADLINE]) {
          node.seconds = BigInt(seconds)
          yield* isRefused(markPaid)
        }
        node.seconds = BigInt(FORMER_DEADLINE + 1)
        assert.deepInclude(yield* markPaid, { status: "paid", txHash: FORGOTTEN })
      }),
    { hasFormer: true }
  )
})
