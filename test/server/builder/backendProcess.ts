/** The backend as a process of its own, on the database of the first argument. With `hang` it books accruals and never answers. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import * as Server from "./Server.ts"

const [databaseUrl = "", mode] = process.argv.slice(2)

const hanging = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({
    ...ledger,
    accrue: (accrual) => Effect.andThen(ledger.accrue(accrual), Effect.never)
  }))
)

const stores = Server.stores.pipe(Layer.provideMerge(PgClient.layer({ url: Redacted.make(databaseUrl) })))

const server = Server.serverOnStores().pipe(
  Layer.provide(mode === "hang" ? hanging.pipe(Layer.provideMerge(stores)) : stores)
)

await Effect.runPromise(
  Server.url.pipe(
    Effect.tap((url) => Effect.promise(() => Bun.write(Bun.stdout, `${url}\n`))),
    Effect.andThen(Effect.never),
    Effect.provide(server)
  )
)
