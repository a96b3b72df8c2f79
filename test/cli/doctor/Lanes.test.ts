/** Doctor's check of the lanes goes by their states, as the relayer does. */
import { PgClient } from "@effect/sql-pg"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Deployment } from "../../../src/cli/doctor/Check.ts"
import { lanes } from "../../../src/cli/doctor/check/Lanes.ts"
import type * as Address from "../../../src/domain/Address.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { migratedDatabase } from "../../support/Postgres.ts"

const [FULL, SHORT, DRAINED, RETIRED] = [0xa1, 0xa2, 0xa3, 0xa4].map(FakeChain.address)

const ETHER = 10n ** 18n

/** Each lane in use has a day's money of two. */
const BALANCES = new Map([
  [FULL, 10n * ETHER],
  [SHORT, 3n * ETHER]
])

const client = FakeChain.client({
  balance: (account) => Effect.succeed(BALANCES.get(account) ?? 0n),
  code: () => Effect.succeed("0x"),
  transactionCount: (account) => Effect.succeed(account === RETIRED ? 6n : 0n),
  feesPerGas: Effect.succeed({ baseFeePerGas: 1n, maxFeePerGas: 3n, maxPriorityFeePerGas: 1n })
})

const nothing = Effect.fail({ message: "not needed" })

const deployment = (...accounts: ReadonlyArray<Address.Address | undefined>) =>
  Effect.map(PgClient.PgClient, (sql): Deployment => ({
    services: ["orchestrator"],
    listed: Option.none(),
    served: Effect.succeed([{ entry: client.chain as never, domainName: "", client }]),
    lanes: Effect.succeed(
      accounts.flatMap((account) =>
        account === undefined ? [] : [{ subject: "RELAYER_KEYS", account: Result.succeed(account) }]
      )
    ),
    feeRecipientKey: nothing,
    withDatabase: (use) => Effect.provideService(use, PgClient.PgClient, sql)
  }))

const settings = ConfigProvider.layer(
  ConfigProvider.fromEnv({ env: { MIN_LANE_BALANCE_WEI: "1", ACROSS_FIXED_FEE_BPS: "10" } })
)

layer(Layer.mergeAll(BunServices.layer, FetchHttpClient.layer, migratedDatabase), { excludeTestServices: true })(
  "the check of lanes",
  (it) => {
    it.effect("judges the money of lanes that are not retired, and divides what was spent among the active ones", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`INSERT INTO orchestrator.lane_states (lane, state, since)
          VALUES (${DRAINED ?? ""}, 'draining', now()), (${RETIRED ?? ""}, 'retired', now()), (${FULL ?? ""}, 'active', now())`
        yield* sql`INSERT INTO orchestrator.lanes (chain_id, lane, next_nonce) VALUES (${client.chain.id}, ${RETIRED ?? ""}, 5)`
        yield* sql`INSERT INTO orchestrator.lane_withdrawals (chain_id, lane, nonce, recipient, amount, hash, raw, signed_at)
          VALUES (${client.chain.id}, ${RETIRED ?? ""}, 5, ${FULL ?? ""}, 1, ${hash("rest")}, '\\x00', now())`
        yield* sql`INSERT INTO orchestrator.relay_spending (chain_id, hour, wei)
          VALUES (${client.chain.id}, date_trunc('hour', now()), ${String(8n * ETHER)}::numeric)`
        const found = yield* lanes
          .findings(yield* deployment(FULL, SHORT, DRAINED, RETIRED))
          .pipe(Effect.provide(settings))
        const seen = (account: string | undefined) =>
          found.filter(({ subject }) => subject.endsWith(` ${account}`)).map(({ code, seen }) => [code, seen])
        assert.deepStrictEqual(seen(FULL), [["lane_ok", "10 ETH, about 59 hours at the rate of the last day"]])
        assert.deepStrictEqual(seen(SHORT), [["lane_low", "3 ETH, about 17 hours at the rate of the last day"]])
        // Its transactions under way may need a higher fee.
        assert.deepStrictEqual(seen(DRAINED), [["lane_below_minimum", "0 ETH, and the minimum is 0 ETH"]])
        // The transfer of its rest has the nonce 5.
        assert.deepStrictEqual(seen(RETIRED), [["lane_unused", "it is retired, and has 0 ETH"]])
        assert.notInclude(
          found.map(({ code }) => code),
          "lane_none_active"
        )

        const unused = yield* lanes.findings(yield* deployment(DRAINED, RETIRED)).pipe(Effect.provide(settings))
        assert.deepStrictEqual(
          unused.filter(({ code }) => code === "lane_none_active").map(({ level, subject }) => [level, subject]),
          [["error", client.chain.name]]
        )
      })
    )
  }
)
