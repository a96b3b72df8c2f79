/**
 * Measures every page in a real browser on a slow phone: largest paint, blocking time, shifts and bytes, and the list of 500 tokens.
 *
 *     bun bench/web.ts [--runs N] [--only TEXT]
 *
 * Every figure is a median of the visits. Times of pages are judged by the CPU time of their main threads, which other programs change less
 * than the clock's: each task counts as long as the phone takes for it. The clock's and the load of the machine are printed beside them. The
 * list is judged by the clock, its answers to input on this machine's CPU and on the phone's.
 */
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import * as Site from "../test/web/Site.ts"
import * as Pages from "./web/Pages.ts"
import * as Report from "./web/Report.ts"
import * as TokenList from "./web/TokenList.ts"
import * as Visit from "./web/Visit.ts"

const { values } = parseArgs({
  options: {
    /** Visits of each page. */
    runs: { type: "string", default: "3" },
    /** Measures only pages whose names contain this. Default: all. */
    only: { type: "string", default: "" }
  }
})

const load = Effect.sync(() => Math.round((loadavg()[0] ?? 0) * 10) / 10)

const bench = Effect.gen(function* () {
  const runs = Number(values.runs)
  const { browser } = yield* Site.Site
  const pages = (yield* Pages.make).filter(({ name }) => name.includes(values.only))
  const loads = [yield* load]
  const rows: Array<Report.Row> = []
  yield* Console.log(Report.HEADER)
  for (const page of pages) {
    const visits = yield* Effect.replicateEffect(Visit.load(browser, page), runs)
    const byCpu = yield* Effect.replicateEffect(Visit.loadByCpu(browser, page), runs)
    const row = Report.rowOf(page, visits, byCpu)
    rows.push(row)
    loads.push(yield* load)
    yield* Console.log(Report.line(row))
  }
  const lists = yield* Effect.replicateEffect(
    TokenList.measure(browser),
    "list of 500 tokens".includes(values.only) ? runs : 0
  )
  loads.push(yield* load)
  const list = Report.listOf(lists)
  if (list !== undefined) yield* Console.log(Report.listText(list))
  const missed = [...rows.flatMap(Report.missesOf), ...(list === undefined ? [] : Report.listMisses(list))]
  yield* Console.log(`\nload ${Math.min(...loads)} to ${Math.max(...loads)}; ${Report.VERDICT(missed)}`)
  yield* Console.log(
    `\n${JSON.stringify({ bench: "web", runs, load: Math.max(...loads), pages: rows, list, worst: Report.worstOf(rows), missed })}`
  )
  return missed.length
})

bench.pipe(
  Effect.flatMap((missed) => (missed === 0 ? Effect.void : Effect.fail(new Error("a page missed a bar, see above")))),
  Effect.provide(Pages.layer),
  Effect.scoped,
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain
)
