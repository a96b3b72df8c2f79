/** Accounts in `builder.builders`. */
import { Array as Arr, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { BuilderExists, BuilderNotFound, Builders } from "../../../ports/builder/Builders.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

/** Pattern of a search. `%` and `_` in it match themselves. */
const pattern = (search: string) => `%${text(search).replaceAll(/[\\%_]/g, "\\$&")}%`

export const layer = Layer.effect(
  Builders,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const one = (rows: ReadonlyArray<unknown>) => Effect.map(Rows.builders(rows), Arr.head)

    const create: Builders["Service"]["create"] = Effect.fn("Builders.create")(function* (account) {
      yield* sql`INSERT INTO builder.builders (id, name, builder_bps, max_builder_bps, payout_address, payout_mode,
          wallet_chain_id, created_at)
        VALUES (${account.id}, ${text(account.name)}, ${account.builderBps}, ${account.maxBuilderBps},
          ${account.payoutAddress}, ${account.payoutMode}, ${account.walletChainId ?? null}, ${timestamp(account.createdAtMs)})`.pipe(
        Effect.catchReason("SqlError", "UniqueViolation", ({ constraint }) =>
          Effect.fail(
            new BuilderExists({ field: constraint === "builders_payout_address_key" ? "payoutAddress" : "id" })
          )
        )
      )
    }, guarded("Builders.create"))

    const byId: Builders["Service"]["byId"] = Effect.fn("Builders.byId")(function* (id) {
      return yield* one(yield* sql`SELECT * FROM builder.builders WHERE id = ${text(id)}`)
    }, guarded("Builders.byId"))

    const byWallet: Builders["Service"]["byWallet"] = Effect.fn("Builders.byWallet")(function* (wallet) {
      return yield* one(yield* sql`SELECT * FROM builder.builders WHERE payout_address = ${wallet}`)
    }, guarded("Builders.byWallet"))

    const list: Builders["Service"]["list"] = Effect.fn("Builders.list")(function* ({ after, limit, search }) {
      const found =
        search === undefined
          ? sql`true`
          : sql`(id ILIKE ${pattern(search)} OR name ILIKE ${pattern(search)}
        OR payout_address ILIKE ${pattern(search)})`
      return yield* Rows.builders(
        yield* sql`SELECT * FROM builder.builders WHERE id > ${text(after ?? "")} AND ${found} ORDER BY id LIMIT ${limit}`
      )
    }, guarded("Builders.list"))

    const modify: Builders["Service"]["modify"] = (id, change) =>
      Effect.gen(function* () {
        const [before] = yield* Rows.builders(
          yield* sql`SELECT * FROM builder.builders WHERE id = ${text(id)} FOR UPDATE`
        )
        if (before === undefined) return yield* new BuilderNotFound({ id })
        const wanted = yield* change(before)
        const [after] = yield* Rows.builders(
          yield* sql`UPDATE builder.builders SET name = ${text(wanted.name)}, builder_bps = ${wanted.builderBps},
            max_builder_bps = ${wanted.maxBuilderBps}, payout_mode = ${wanted.payoutMode},
            wallet_chain_id = ${wanted.walletChainId ?? null},
            suspended_at = ${wanted.suspendedAtMs === undefined ? null : timestamp(wanted.suspendedAtMs)}
            WHERE id = ${text(id)} RETURNING *`
        )
        if (after === undefined) return yield* new BuilderNotFound({ id })
        return { before, after }
      }).pipe(sql.withTransaction, guarded("Builders.modify"), Effect.withSpan("Builders.modify"))

    return Builders.of({ create, byId, byWallet, list, modify })
  })
)
