/** Logs of a chain of which one endpoint leaves out or changes something. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as ChainReading from "../../../src/cli/reconcile/ChainReading.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import * as ChainView from "../../../src/orchestrator/shared/ChainView.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import type { ChainClient, Log } from "../../../src/ports/shared/Chains.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { lying } from "../../support/TwoEndpoints.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { blockAt, earn, minute, NEWEST, PAYEE, reconcileNow, sceneOf, TOKEN, transfer } from "./scene.ts"

const early = transfer("early", minute(1), 5n)
const late = transfer("late", minute(20), 7n)

/** Logs that an endpoint has, of which one read returns those of so many blocks. */
const having =
  (logs: ReadonlyArray<Log>, blocks = NEWEST): ChainClient["logs"] =>
  ({ fromBlock, toBlock }) => {
    const end = fromBlock + blocks - 1n
    const found = logs.filter(({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= end)
    return Effect.succeed({ logs: found, ...(end < toBlock ? { unread: { fromBlock: end + 1n, toBlock } } : {}) })
  }

const client = (logs: ChainClient["logs"]) =>
  FakeChain.client({
    chain: source,
    block: (number) => Effect.succeedSome(blockAt(typeof number === "bigint" ? number : NEWEST)),
    logs
  })

const paid = Effect.fnUntraced(function* (of: ChainClient) {
  const view = yield* ChainView.look(of)
  const found = yield* ChainReading.payments(view, { fromBlock: 0n }, [TOKEN])
  return found.map(({ txHash }) => txHash)
})

const honest = client(having([early, late]))

describe("payments of a vault", () => {
  for (const [name, lie] of [
    ["leaves one out", having([early])],
    ["has none", having([])],
    ["changes an amount", having([early, { ...late, data: transfer("late", minute(20), 8n).data }])],
    ["has one more", having([early, transfer("false", minute(10), 1n), late])]
  ] as const) {
    it.effect(`are not read by an endpoint that ${name}, without the word of another one`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(paid(lying(honest, { logs: lie })))
        assert.isTrue(failure.isContradiction)
        assert.include(failure.message, "liar and honest")
      })
    )
  }

  it.effect("are all read if one read of an endpoint returns fewer blocks than one of the other", () =>
    Effect.gen(function* () {
      for (const [first, second] of [
        [100n, 900n],
        [900n, 100n],
        [700n, 700n]
      ] as const) {
        const both = lying(client(having([early, late], second)), { logs: having([early, late], first) })
        assert.deepStrictEqual(yield* paid(both), [early.transactionHash, late.transactionHash])
      }
      const blind = lying(client(having([early, late], 100n)), { logs: having([early], 900n) })
      assert.isTrue((yield* Effect.flip(paid(blind))).isContradiction)
    })
  )

  it.effect("are not read from a block on that one endpoint alone takes for the first of a time", () =>
    Effect.gen(function* () {
      const since = (of: ChainClient) => ChainReading.firstBlockSince(of, NEWEST, minute(1))
      assert.strictEqual(yield* since(honest), 60n)
      const old: ChainClient["block"] = (which) =>
        Effect.map(
          honest.block(which),
          Option.map((block) => ({ ...block, timestamp: 0n }))
        )
      assert.isTrue((yield* Effect.flip(since(lying(honest, { block: old })))).isContradiction)
    })
  )
})

const payment = transfer("payment", minute(13), 5n)

describe("a restore", () => {
  it.effect("stays open while one endpoint leaves out a payment that another one has", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* register
      yield* earn("sweep", 5n)
      const payees = [{ builderId: "alpha", payoutAddress: PAYEE }]
      yield* (yield* Payouts).open({ id: "batch", chainId: source.id, token: TOKEN, minAmount: 0n, payees })
      yield* TestClock.setTime(minute(14))
      yield* Restores.record(sql, minute(12))
      const { open, payments, reconciled } = yield* reconcileNow()
      assert.deepStrictEqual([reconciled, payments], [false, []])
      const found = open.find(({ stopsPayouts }) => stopsPayouts)
      assert.include(found?.text ?? "", "liar and honest gave different answers")
    }).pipe(
      Effect.provide(
        sceneOf(minute(10), [payment], Effect.void, {
          // Permit2 has spent every nonce.
          call: () => Effect.succeed<Hex>(`0x${"ff".repeat(32)}`),
          lies: { logs: () => Effect.succeed({ logs: [] }) }
        })
      )
    )
  )
})
