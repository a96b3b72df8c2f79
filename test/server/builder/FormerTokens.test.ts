/** The token between the services is replaced, in the order of the guide: no accrual is refused in between. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { HttpServer } from "effect/http"
import { migratedDatabase } from "../../support/Postgres.ts"
import * as Harness from "./Harness.ts"
import { register } from "./machineRoutes.ts"
import * as Server from "./Server.ts"

const { ask } = Harness
const { ADMIN_TOKEN: OLD, TOKEN } = Server
const NEW = "the-next-token"

const book = (builderId: string, index: number, token: string) =>
  Effect.map(
    ask("POST /accruals", {
      headers: { authorization: `Bearer ${token}` },
      body: { builderId, sweepId: `0x${"11".repeat(32)}_${index}`, token: TOKEN, amount: "1" }
    }),
    ({ status }) => status
  )

/** The backend after a restart with these tokens, on the same database. */
const restarted = <A, E>(
  adminToken: string,
  former: ReadonlyArray<string>,
  use: Effect.Effect<A, E, HttpServer.HttpServer>
) =>
  Effect.provide(
    use,
    Layer.fresh(
      Server.serverOnStores({
        server: {
          adminToken: Redacted.make(adminToken),
          formerAdminTokens: former.map((token) => ({ token: Redacted.make(token) }))
        }
      }).pipe(Layer.provide(Server.stores))
    )
  )

it.live("accruals are booked with the old token and the new one while both are accepted", () =>
  Effect.gen(function* () {
    const id = yield* restarted(
      OLD,
      [],
      Effect.map(register(), (builder) => builder.id)
    )
    const during = yield* restarted(NEW, [OLD], Effect.all([book(id, 0, OLD), book(id, 1, NEW), book(id, 2, OLD)]))
    assert.deepStrictEqual(during, [201, 201, 201])
    const after = yield* restarted(NEW, [], Effect.all([book(id, 3, NEW), book(id, 4, OLD)]))
    assert.deepStrictEqual(after, [201, 401])
  }).pipe(Effect.provide(migratedDatabase))
)
