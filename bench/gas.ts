/**
 * Gas of sweeps, as `forge test` measured it, beside what a plain account pays and the bars that must be met; ends with 1 where
 * one is not.
 *
 *     bun bench/gas.ts
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, FileSystem, Schema } from "effect"
import { judge, Snapshot, TABLES } from "./gas/Bars.ts"

const SNAPSHOT = new URL("../contracts/snapshots/Gas.json", import.meta.url).pathname

const gas = (amount: number): string => amount.toLocaleString("en-US").padStart(9)
const share = (ratio: number): string => ratio.toFixed(3).padStart(9)

const bench = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(SNAPSHOT)
  const snapshot = yield* Schema.decodeEffect(Schema.fromJsonString(Snapshot))(text)
  const tables = TABLES.map((table) => ({ ...table, ...judge(table, snapshot) }))
  for (const { floor, rows, title } of tables) {
    yield* Console.log(`\n${title} (a plain account: ${floor.toLocaleString("en-US")})`)
    yield* Console.log(
      `${"".padEnd(34)}${["gas", "bar", "of bar", "of floor", "best else"].map((name) => name.padStart(9)).join(" ")}`
    )
    for (const row of rows) {
      const numbers = [gas(row.gas), gas(row.bar), share(row.gas / row.bar), share(row.ofFloor), gas(row.best.gas)]
      yield* Console.log(`${row.measured.padEnd(34)}${numbers.join(" ")}  ${row.best.name}${row.met ? "" : "  MISSED"}`)
    }
  }
  const rows = tables.flatMap((table) => table.rows)
  const missed = rows.filter(({ met }) => !met).map(({ measured }) => measured)
  const figures = Object.fromEntries(rows.map((row) => [row.measured, row.gas]))
  yield* Console.log(`\n${JSON.stringify({ bench: "gas", figures, missed })}`)
  if (missed.length > 0) return yield* Effect.fail(new Error(`over the bar: ${missed.join("; ")}`))
})

bench.pipe(Effect.provide(BunServices.layer), BunRuntime.runMain)
