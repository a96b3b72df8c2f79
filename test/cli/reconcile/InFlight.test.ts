/** A payment that the restored database forgot may still be mined. Its batch must not be paid again before that is impossible. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { MAX_PAYMENT_SECONDS } from "../../../src/builder/payout/PaymentProof.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { blockAt, earn, minedAt, minute, reconcileNow, sceneOf, TOKEN, transfer } from "./scene.ts"

const RECORDED = minute(14)

/** Blocks have whole minutes, so this is the first one in which no forgotten payment can be mined. */
const SAFE = RECORDED + MAX_PAYMENT_SECONDS * 1_000 + 60_000

/** Confirmations of the chain, the including block being the first. */
const depth = (source.confirmations - 1) * 60_000

/** A builder is owed 5 in a database that was restored to noon. `confirmed` moves the newest confirmed block to a moment. */
const rule = <A, E>(
  name: string,
  {
    chain = source,
    code = "0x",
    isOwed = true,
    late = [],
    tokenCode = code
  }: {
    readonly chain?: Chain
    readonly code?: Hex
    readonly isOwed?: boolean
    readonly late?: Parameters<typeof sceneOf>[1]
    /** Code of the token, unless no node tells. */
    readonly tokenCode?: Hex | "unknown"
  },
  test: (
    confirmed: (atMs: number) => Effect.Effect<void>
  ) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const head = yield* Ref.make(RECORDED)
      const answers = {
        block: (number: bigint | "latest") =>
          typeof number === "bigint"
            ? Effect.succeedSome(blockAt(number))
            : Effect.map(Ref.get(head), (atMs) => Option.some(blockAt(BigInt(atMs / 60_000)))),
        chain,
        code: (account: Address.Address) => {
          if (account !== TOKEN) return Effect.succeed(code)
          const detail = "no node answers"
          return tokenCode === "unknown"
            ? Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_getCode", detail }))
            : Effect.succeed(tokenCode)
        }
      }
      yield* Effect.gen(function* () {
        yield* register
        if (isOwed) yield* earn("sweep", 5n)
        yield* TestClock.setTime(RECORDED)
        yield* Restores.record(yield* PgClient.PgClient, minute(12))
        yield* test((atMs) => Ref.set(head, atMs + depth))
      }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(10), late, Effect.void, answers))))
    })
  )

const until = new Date(RECORDED + MAX_PAYMENT_SECONDS * 1_000).toISOString()

describe("a payment that the database forgot, and that no node of the chain knows", () => {
  rule("keeps the restore open until it can no longer be mined", {}, (confirmed) =>
    Effect.gen(function* () {
      for (const atMs of [RECORDED + 60_000, SAFE - 60_000]) {
        yield* confirmed(atMs)
        const report = yield* reconcileNow()
        assert.isFalse(report.reconciled)
        assert.deepStrictEqual(
          report.open.map(({ stopsPayouts }) => stopsPayouts),
          [true]
        )
        assert.include(report.open[0]?.text, `may still be mined on ${source.name} until ${until}`)
      }
      yield* confirmed(SAFE)
      const last = yield* reconcileNow()
      assert.deepStrictEqual([last.reconciled, last.open], [true, []])
    })
  )

  rule("is booked if it is mined at the last moment", { late: [transfer("late", SAFE - 60_000, 5n)] }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED + 60_000)
      assert.isFalse((yield* reconcileNow()).reconciled)
      yield* confirmed(SAFE)
      const report = yield* reconcileNow()
      assert.isTrue(report.reconciled)
      assert.deepStrictEqual(
        report.payments.map(({ outcome, txHash }) => [outcome, txHash]),
        [["lost_batch", hash("late")]]
      )
    })
  )

  rule(
    "may pay a fee of a sweep that the database forgot too",
    {
      isOwed: false,
      late: [
        minedAt(
          "settled",
          minute(13),
          sweptLog(offer({ id: "lost", order: { builder: source.builderVault, tokenIn: TOKEN, builderFee: 1n } }))
        )
      ]
    },
    (confirmed) =>
      Effect.gen(function* () {
        yield* confirmed(RECORDED + 60_000)
        assert.isFalse((yield* reconcileNow()).reconciled)
        yield* confirmed(SAFE)
        assert.isTrue((yield* reconcileNow()).reconciled)
      })
  )

  rule("is signed by a vault that has delegated its account", { code: `0xef0100${"11".repeat(20)}` }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED + 60_000)
      assert.isFalse((yield* reconcileNow()).reconciled)
    })
  )

  rule("is none of a vault that is a contract, which signs no permit", { code: "0x6001" }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED)
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )

  rule("is none of a chain on which no builder earned anything", { isOwed: false }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED - 60_000)
      const early = yield* reconcileNow()
      assert.include(early.open[0]?.text, "no confirmed block from after the restore")
      yield* confirmed(RECORDED)
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )
})

describe("a payment that the database forgot, of an accrual without a chain", () => {
  /** The accrual is from an early release. It may have been assigned to the chain and paid there in the lost time. */
  const accrue = Ledger.use((ledger) =>
    ledger.accrue({ builderId: "alpha", sweepId: "early", token: TOKEN, amount: 5n })
  )
  const reconciled = (confirmed: (atMs: number) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      yield* accrue
      yield* confirmed(RECORDED + 60_000)
      return yield* reconcileNow()
    })

  rule("cannot be mined where its token has no contract", { isOwed: false }, (confirmed) =>
    Effect.gen(function* () {
      const report = yield* reconciled(confirmed)
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )

  rule("may be mined where its token has a contract", { isOwed: false, tokenCode: "0x6001" }, (confirmed) =>
    Effect.gen(function* () {
      const report = yield* reconciled(confirmed)
      assert.isFalse(report.reconciled)
      assert.include(report.open[0]?.text, `may still be mined on ${source.name} until ${until}`)
      yield* confirmed(SAFE)
      assert.isTrue((yield* reconcileNow()).reconciled)
    })
  )

  const listed = { chainId: source.id, address: TOKEN, symbol: "TKN", name: "Token", decimals: 18 }
  rule(
    "may be mined where the chain's settings have its token, whatever a node says",
    { isOwed: false, chain: { ...source, tokens: [...source.tokens, listed] } },
    (confirmed) =>
      Effect.gen(function* () {
        assert.isFalse((yield* reconciled(confirmed)).reconciled)
      })
  )

  rule("may be mined while no node tells of its token", { isOwed: false, tokenCode: "unknown" }, (confirmed) =>
    Effect.gen(function* () {
      const report = yield* reconciled(confirmed)
      assert.isFalse(report.reconciled)
      assert.include(report.open[0]?.text, "were not reconciled")
    })
  )

  rule(
    "needs no look at its token once it can no longer be mined",
    { isOwed: false, tokenCode: "unknown" },
    (confirmed) =>
      Effect.gen(function* () {
        yield* accrue
        yield* confirmed(SAFE)
        const report = yield* reconcileNow()
        assert.deepStrictEqual([report.reconciled, report.open], [true, []])
      })
  )

  rule("may be mined where builders also earned the token, whatever a node says", {}, (confirmed) =>
    Effect.gen(function* () {
      assert.isFalse((yield* reconciled(confirmed)).reconciled)
    })
  )
})
