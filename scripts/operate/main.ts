/**
 * `./sweep test operate`: an operator's work by the commands of the guides, from an empty folder. Two replicas of each service run as processes
 * on a PostgreSQL, a Redis, an anvil and an EDR chain, with keys in keystores. Under load, replicas and Redis are killed, a lane is rotated, a
 * chain is paused, endpoints are changed, and alerts fire. Then an hour passes, and the database is restored to its beginning and reconciled.
 * It ends with 0 if no accepted sweep was lost and the books equal the chains to the wei.
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Cause, Console, Effect, Logger } from "effect"
import * as Drill from "./Drill.ts"
import * as Replica from "./Replica.ts"
import * as Report from "./Report.ts"

const main = Effect.gen(function* () {
  const report = yield* Report.make
  yield* Drill.run(report)
  const { left, steps } = yield* report.summary
  yield* Console.log(
    `\n${steps} steps passed: nothing was lost, and the books equal the chains to the wei.${left.length === 0 ? "" : ` Left out: ${left.join("; ")}.`}`
  )
}).pipe(Effect.scoped)

main.pipe(
  Effect.tapCause((cause) =>
    Console.error(
      `\noperate: ${Cause.pretty(cause)}\n\nThe services complained last:\n${Replica.complaints.join("\n")}`
    )
  ),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain({ disableErrorReporting: true })
)
