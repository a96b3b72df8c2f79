/** Two open batches of one token pay the same builder, and an operator confuses their transactions. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { pad, toHex } from "viem"
import * as MemoryStores from "../../../src/adapters/memory/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { TRANSFER } from "../../../src/domain/Payout.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const TOKEN = FakeChain.address(0xd1)
const { builderVault, id: chainId } = FakeChain.chain
/** Amount that each transaction transfers to the builder `alpha`. */
const paid = new Map([
  [hash("pays 100"), 100n],
  [hash("pays 10"), 10n],
  [hash("pays 110"), 110n]
])

const blockAt = (number: bigint) => ({
  number,
  hash: hash(`block ${number}`),
  parentHash: hash(`block ${number - 1n}`),
  timestamp: 60n,
  baseFeePerGas: 1n,
  gasLimit: 1n
})

const chain = FakeChain.layer({
  block: (which) => Effect.succeedSome(blockAt(which === "latest" ? 100n : which)),
  receipt: (transactionHash) =>
    Effect.succeed(
      Option.map(Option.fromUndefinedOr(paid.get(transactionHash)), (amount) => {
        const where = { blockNumber: 1n, blockHash: hash("block 1"), transactionHash }
        const topics = [TRANSFER, pad(builderVault, { size: 32 }), pad(address(0x80), { size: 32 })]
        const log = { ...where, address: TOKEN, topics, data: toHex(amount, { size: 32 }), logIndex: 0 }
        return { ...where, status: "success" as const, gasUsed: 1n, effectiveGasPrice: 1n, logs: [log] }
      })
    )
})

const desk = PayoutDesk.layer.pipe(
  Layer.provideMerge(MemoryStores.layer),
  Layer.provide([
    chain,
    BuilderSettings.layer(builderDefaults),
    SecureRandom.layerWebCrypto,
    Layer.succeed(Screening, { clear: () => Effect.void })
  ])
)

/** Opens a batch of each amount. */
const opened = Effect.fnUntraced(function* (...amounts: ReadonlyArray<bigint>) {
  yield* TestClock.setTime(60_000)
  yield* register
  const ledger = yield* Ledger
  const { open } = yield* PayoutDesk
  return yield* Effect.forEach(amounts, (amount, index) =>
    Effect.gen(function* () {
      yield* ledger.accrue({ builderId: "alpha", sweepId: `sweep ${index}`, token: TOKEN, amount, chainId })
      return (yield* open({ chainId, token: TOKEN, minAmount: 0n }, "test")).id
    })
  )
})

it.effect("a batch is not booked as paid by the transaction of another one, which is named", () =>
  Effect.gen(function* () {
    const [large = "", small = ""] = yield* opened(100n, 10n)
    const { get, markPaid } = yield* PayoutDesk
    const refused = yield* Effect.flip(markPaid(small, hash("pays 100"), "test"))
    assert.strictEqual(refused._tag, "PaymentTaken")
    assert.include(refused.message, large)
    assert.strictEqual((yield* get(small)).status, "open")
    assert.strictEqual((yield* markPaid(large, hash("pays 100"), "test")).status, "paid")
    assert.strictEqual((yield* markPaid(small, hash("pays 10"), "test")).status, "paid")
  }).pipe(Effect.provide(desk))
)

it.effect("a transaction that pays more is booked for the batch, if it is that of no other one", () =>
  Effect.gen(function* () {
    const [, small = ""] = yield* opened(100n, 10n)
    const { markPaid } = yield* PayoutDesk
    assert.strictEqual((yield* markPaid(small, hash("pays 110"), "test")).status, "paid")
  }).pipe(Effect.provide(desk))
)

it.effect("of two equal batches, each is booked by either transaction", () =>
  Effect.gen(function* () {
    const [first = "", second = ""] = yield* opened(10n, 10n)
    const { markPaid } = yield* PayoutDesk
    assert.strictEqual((yield* markPaid(second, hash("pays 10"), "test")).status, "paid")
    assert.strictEqual((yield* Effect.flip(markPaid(first, hash("pays 10"), "test")))._tag, "PaymentTaken")
  }).pipe(Effect.provide(desk))
)
