/**
 * Gas that quotes count beside the gas of the receipts, of random sweeps on anvil and on EDR. Ends with 1 if an estimate lies
 * outside the bounds.
 *
 *     bun bench/gas-estimates.ts [--count N] [--batches N] [--seed N]
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect } from "effect"
import * as Network from "../src/devnet/Network.ts"
import { type Kind, label } from "./gas-estimates/Cases.ts"
import { numbers } from "./Numbers.ts"
import { BOUNDS, failed, measure, type Measured, outside, type Single } from "./gas-estimates/Measure.ts"

/** `count`: sweeps that are sent alone, on each node. */
const { batches, count, seed } = numbers({ count: 500, batches: 20, seed: 1 })

const SHARES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1] as const

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

/** Least, 5 %, 25 %, median, 75 %, 95 % and most of the estimates' excess, in percent. */
const distribution = (singles: ReadonlyArray<Single>): ReadonlyArray<number> => {
  const sorted = singles.map(({ percent }) => percent).toSorted((a, b) => a - b)
  return SHARES.map((share) => Math.round(quantile(sorted, share) * 100) / 100)
}

const row = (name: string, cells: ReadonlyArray<string | number>): string =>
  name.padEnd(24) + cells.map((cell) => String(cell).padStart(9)).join("")

const KINDS: ReadonlyArray<Kind> = ["swap", "bridge", "swap, then bridge"]

const report = Effect.fnUntraced(function* (node: string, { batches, singles }: Measured) {
  yield* Console.log(
    `\n${row(`${node}: % above`, ["sweeps", "least", "5 %", "25 %", "median", "75 %", "95 %", "most"])}`
  )
  for (const kind of KINDS) {
    const own = singles.filter((single) => single.case.kind === kind)
    yield* Console.log(row(kind, [own.length, ...distribution(own)]))
  }
  yield* Console.log(row("all", [singles.length, ...distribution(singles)]))
  const [charged, estimated] = [batches, batches].map((all, index) =>
    all.reduce((sum, batch) => sum + (index === 0 ? batch.charged : batch.estimated), 0)
  )
  yield* Console.log(
    `${batches.length} batches of ${batches.reduce((sum, { sweeps }) => sum + sweeps, 0)} sweeps cost ${((charged ?? 0) / (estimated ?? 1)).toFixed(3)} of their estimates`
  )
  for (const single of singles.filter(outside)) {
    yield* Console.log(
      `OUTSIDE ${single.percent.toFixed(2)} %: ${single.estimated} for ${single.charged}${single.isSettled ? "" : ", not settled"}: ${label(single.case)}`
    )
  }
  for (const batch of batches.filter(failed)) yield* Console.log(`OUTSIDE batch ${JSON.stringify(batch)}`)
})

const bench = Effect.gen(function* () {
  const results: Array<{ readonly node: string; readonly measured: Measured }> = []
  for (const node of ["anvil", "edr"] as const) {
    yield* Console.error(`${node}: ${count} sweeps alone and ${batches} batches, seed ${seed}`)
    const network = yield* Network.start({ node, filler: false })
    const measured = yield* measure(network, { program: node, count, batches, seed })
    yield* report(node, measured)
    results.push({ node, measured })
  }
  const missed = results.flatMap(({ measured }) => [
    ...measured.singles.filter(outside),
    ...measured.batches.filter(failed)
  ]).length
  const figures = results.map(({ measured, node }) => ({ node, percent: distribution(measured.singles) }))
  yield* Console.log(
    `\n${JSON.stringify({ bench: "gas-estimates", seed, count, batches, bounds: BOUNDS, figures, missed })}`
  )
  if (missed > 0) return yield* Effect.fail(new Error(`${missed} estimates are outside the bounds`))
})

bench.pipe(Effect.scoped, Effect.provide(BunServices.layer), BunRuntime.runMain)
