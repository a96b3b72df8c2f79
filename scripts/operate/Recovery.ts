/** The database goes back by an hour, to a backup that was made under load, and is reconciled with the chains. */
import { Duration, Effect, Schedule } from "effect"
import * as Books from "./Books.ts"
import type { Scene } from "./Drill.ts"
import { must } from "./Report.ts"
import * as WorldClock from "./WorldClock.ts"

/** Blocks that confirm those of the restore. */
const CONFIRMING = 5

/** Sweeps before the backup and after it, which the database forgets. */
const SWEEPS = 10

const HOUR_SECONDS = 3_600

/**
 * An hour passes for the chains and all processes while clients sweep. Each sweep sees the clock move twice at most, so that
 * none expires because this machine is slow.
 */
const anHour = ({ all, clock, traffic }: Scene) =>
  Effect.gen(function* () {
    let older = 0
    for (let passed = 0; passed < HOUR_SECONDS; passed += WorldClock.LEAP_SECONDS) {
      yield* traffic.endedFirst(older)
      older = traffic.accepted.length
      yield* clock.leap(all)
      yield* traffic.more(1)
    }
  })

const sizeOf = (printed: string): string => {
  const { bytes, tables } = JSON.parse(printed) as { readonly bytes: string; readonly tables: number }
  return `${bytes} bytes, ${tables} tables`
}

const foundIn = (printed: string) =>
  JSON.parse(printed) as { readonly sweeps: ReadonlyArray<unknown>; readonly transactions: ReadonlyArray<unknown> }

/** Restores, and returns the URL of the new database. */
export const recovered = Effect.fnUntraced(function* (scene: Scene) {
  const { all, create, databaseUrl, lanes, places, replicas, report, shell, traffic } = scene
  const { output, settings } = shell
  const { step } = report
  const inUse = lanes.slice(1)
  const start = yield* Books.lanes(places, inUse, yield* Books.of(databaseUrl))

  yield* traffic.during(
    Effect.gen(function* () {
      yield* traffic.more(SWEEPS)
      yield* step(
        "sweep backup dumped the database under load",
        output("sweep backup --output sweep.dump --json"),
        sizeOf
      )
      yield* step(
        "an hour passed under load",
        Effect.timed(anHour(scene)),
        ([took]) => `within ${Math.round(Duration.toSeconds(took))} s`
      )
      yield* traffic.more(SWEEPS)
    })
  )
  yield* Books.idle(databaseUrl)
  const before = yield* Books.of(databaseUrl)
  const spent = yield* Books.lanes(places, inUse, before)
  yield* step(
    "the lanes paid the gas that the books say, to the wei",
    must(
      start.held - spent.held === spent.spent - start.spent,
      `${start.held - spent.held} and ${spent.spent - start.spent}`
    ),
    () => `${spent.spent - start.spent} wei`
  )

  yield* step("all replicas stopped", replicas.stopAll, (millis) => `the slowest within ${millis} ms`)
  const restored = yield* create("restored")
  yield* settings({ DATABASE_URL: restored })
  yield* step("sweep restore restored the dump into an empty database", output("sweep restore sweep.dump"))
  const back = (yield* Books.newest(databaseUrl)) - (yield* Books.newest(restored))
  yield* step(
    "the database is an hour back",
    must(back >= HOUR_SECONDS, `its newest settlement is only ${back} s older`),
    () => `its newest settlement is ${Math.round(back)} s older`
  )
  yield* step("two replicas of each service are ready again", replicas.startAll)
  yield* step(
    "all sweeps are paused after the restore",
    Effect.flatMap(traffic.quotedThere, (status) => must(status === 422, `a quote was answered with ${status}`))
  )
  yield* step("sweep operate resume ended the pause", output("sweep operate resume all --reason drill"))
  yield* Books.idle(restored)
  const found = yield* step(
    "sweep reconcile finds what the database forgot",
    Effect.map(output("sweep reconcile --dry-run --json"), foundIn),
    ({ sweeps, transactions }) => `${sweeps.length} sweeps and ${transactions.length} transactions of lanes`
  )
  yield* must(found.sweeps.length >= SWEEPS, "the database forgot too few sweeps to prove anything")
  yield* Effect.forEach(all, ({ node }) => node.ask("mine", (client) => client.mine({ blocks: CONFIRMING })))
  yield* step("a day passed, after which no forgotten payment can be mined", Books.dateRestoreBack(restored))
  yield* step(
    "sweep reconcile booked it",
    output("sweep reconcile").pipe(Effect.retry({ schedule: Schedule.spaced("1 second"), times: 10 }))
  )
  const after = yield* Books.of(restored)
  yield* step(
    "the books equal those of the lost database",
    must(JSON.stringify(after) === JSON.stringify(before), "they differ")
  )
  yield* traffic.during(traffic.more(SWEEPS))
  yield* step("the restored deployment sweeps", Books.idle(restored))
  return restored
})
