/** Payments of a vault that was replaced meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, numberToHex, pad, parseAbi, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as PaymentProof from "../../../src/builder/payout/PaymentProof.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { type PayoutBatch, TRANSFER } from "../../../src/domain/Payout.ts"
import { paymentData, permitNonce } from "../../../src/domain/PayoutPayment.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const signer = privateKeyToAccount(generatePrivateKey())
const FORMER = Address.of(signer.address)
const [TOKEN, PAYEE] = [FakeChain.address(0xd1), FakeChain.address(0x80)]
const PAYMENT: Hash = numberToHex(7, { size: 32 })
const UNMINED: Hash = numberToHex(8, { size: 32 })

const batch: PayoutBatch = {
  id: "batch",
  chainId: FakeChain.chain.id,
  token: TOKEN,
  status: "open",
  minAmount: 0n,
  total: 5n,
  lines: [{ builderId: "alpha", payoutAddress: PAYEE, amount: 5n, entries: 1 }],
  createdAtMs: 0
}

const abi = parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"])

/** Payer of the transfer in the receipt, and account whose nonce Permit2 has spent. */
const chainOf = (payer: Address.Address, formerVaults: ReadonlyArray<Address.Address>) => {
  const block = { number: 10n, hash: PAYMENT, parentHash: PAYMENT, timestamp: 1_000n, baseFeePerGas: 1n, gasLimit: 1n }
  const log = {
    address: TOKEN,
    topics: [TRANSFER, pad(payer, { size: 32 }), pad(PAYEE, { size: 32 })],
    data: toHex(5n, { size: 32 }),
    blockNumber: 10n,
    blockHash: PAYMENT,
    transactionHash: PAYMENT,
    logIndex: 0
  }
  return FakeChain.layer({
    chain: { ...FakeChain.chain, formerVaults },
    block: () => Effect.succeedSome(block),
    call: ({ data }) => {
      const [owner] = decodeFunctionData({ abi, data: data ?? "0x" }).args
      const bitmap = Address.of(owner) === payer ? 1n << (permitNonce(batch.id) & 0xffn) : 0n
      return Effect.succeed(toHex(bitmap, { size: 32 }))
    },
    receipt: (transactionHash) =>
      Effect.succeed(
        transactionHash === PAYMENT
          ? Option.some({
              transactionHash,
              blockNumber: 10n,
              blockHash: PAYMENT,
              status: "success" as const,
              gasUsed: 1n,
              effectiveGasPrice: 1n,
              logs: [log]
            })
          : Option.none()
      )
  })
}

const signed = Effect.promise(() =>
  signer.signTransaction({
    type: "eip1559",
    chainId: FakeChain.chain.id,
    to: FakeChain.chain.permit2,
    data: paymentData(batch, FORMER, 60n, "0x"),
    gas: 100_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    nonce: 0
  })
)

/** True while a recorded payment of the former vault may have paid. Default: it is another one than the payment that was mined. */
const isInFlight = Effect.fnUntraced(function* (txHash = UNMINED) {
  yield* TestClock.setTime(1_000_000)
  const proof = yield* PaymentProof.make
  const payments = [{ txHash, raw: yield* signed, deadline: 60, recordedAtMs: 0 }]
  return yield* proof.isInFlight({ ...batch, payments })
})

const isProved = Effect.gen(function* () {
  const proof = yield* PaymentProof.make
  return Result.isSuccess(yield* Effect.result(proof.prove(batch, PAYMENT)))
})

describe("a payment of a former vault", () => {
  it.effect("still holds its batch when it is mined, also if the settings do not name the vault", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isInFlight().pipe(Effect.provide(chainOf(FORMER, []))))
      const another = chainOf(FakeChain.chain.builderVault, [])
      assert.isFalse(yield* isInFlight().pipe(Effect.provide(another)))
      assert.isTrue(yield* isInFlight(PAYMENT).pipe(Effect.provide(another)), "its receipt proves it as well")
    })
  )

  it.effect("proves its batch if the settings name the vault", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isProved.pipe(Effect.provide(chainOf(FORMER, [FakeChain.address(0x01), FORMER]))))
      assert.isTrue(yield* isProved.pipe(Effect.provide(chainOf(FakeChain.chain.builderVault, [FORMER]))))
      assert.isFalse(yield* isProved.pipe(Effect.provide(chainOf(FORMER, []))))
    })
  )
})
