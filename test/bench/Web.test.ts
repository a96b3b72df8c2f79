/** Figures of pages: from the browser's own entries and from its trace. */
import { assert, describe, it } from "@effect/vitest"
import * as MainThread from "../../bench/web/MainThread.ts"
import * as Report from "../../bench/web/Report.ts"
import { cumulativeShift, totalBlocking } from "../../bench/web/Vitals.ts"

const trace = JSON.stringify({
  traceEvents: [
    { name: "thread_name", pid: 2, tid: 1, ts: 0, args: { name: "CrRendererMain" } },
    { name: "thread_name", pid: 7, tid: 1, ts: 0, args: { name: "CrRendererMain" } },
    { name: "navigationStart", pid: 7, tid: 1, ts: 500_000, args: { data: { url: "about:blank" } } },
    { name: "navigationStart", pid: 7, tid: 1, ts: 1_000_000, args: { data: { url: "http://page/" } } },
    { name: "ThreadControllerImpl::RunTask", pid: 7, tid: 1, ts: 1_100_000, dur: 90_000, tdur: 30_000 },
    { name: "firstContentfulPaint", pid: 7, tid: 1, ts: 1_200_000 },
    { name: "ThreadControllerImpl::RunTask", pid: 7, tid: 1, ts: 1_300_000, dur: 400_000, tdur: 40_000 },
    { name: "ThreadControllerImpl::RunTask", pid: 7, tid: 9, ts: 1_300_000, dur: 400_000, tdur: 400_000 },
    { name: "ThreadControllerImpl::RunTask", pid: 2, tid: 1, ts: 1_300_000, dur: 400_000, tdur: 400_000 },
    { name: "ThreadControllerImpl::RunTask", pid: 7, tid: 1, ts: 1_800_000, dur: 20_000, tdur: 10_000 }
  ]
})

describe("a page's main thread", () => {
  const { firstPaintMs, tasks } = MainThread.read(trace, "http://page/")

  it("has its tasks alone, since its own navigation", () => {
    assert.strictEqual(firstPaintMs, 200)
    assert.deepStrictEqual(
      tasks.map(({ cpuMs, startMs }) => [startMs, cpuMs]),
      [
        [100, 30],
        [300, 40],
        [800, 10]
      ]
    )
  })

  it("blocks for the part of each task beyond 50 ms, after the first paint, whatever the clock says", () => {
    assert.strictEqual(MainThread.blocking(MainThread.slowed(tasks, 4, firstPaintMs)), 110)
  })

  it("reaches a time later by the slower CPU, and earlier by what other programs took", () => {
    // 90 ms by the clock are 120 ms on the phone, and 400 ms are 160 ms.
    assert.strictEqual(MainThread.slowedTime(tasks, 4, 750), 750 - 90 + 120 - 400 + 160)
    assert.strictEqual(MainThread.slowedTime(tasks, 4, 250), 250 - 90 + 120)
  })

  it("is missing from a trace of no page", () => {
    assert.throws(() => MainThread.read('{"traceEvents":[]}', "http://page/"), /http:\/\/page\/ has no page/)
  })
})

describe("the shift of a page", () => {
  it("is the largest sum of shifts less than a second apart, within five", () => {
    const at = (atMs: number, value: number) => ({ atMs, value })
    assert.strictEqual(cumulativeShift([]), 0)
    assert.strictEqual(cumulativeShift([at(0, 1), at(900, 2), at(2_000, 2.5)]), 3)
    assert.strictEqual(cumulativeShift(Array.from({ length: 12 }, (_, index) => at(index * 500, 1))), 10)
  })
})

describe("the blocking time of a page", () => {
  it("counts no task before the first paint", () => {
    const longTasks = [
      { startMs: 10, durationMs: 300 },
      { startMs: 120, durationMs: 80 }
    ]
    assert.strictEqual(totalBlocking({ firstPaintMs: 100, longTasks }), 30)
  })
})

describe("a row of the report", () => {
  const visit = { firstPaintMs: 1, largestPaintMs: 5_000, blockingMs: 900, shift: 0.05, bytes: 120_000, largest: "" }
  const row = (bytes: number, blockingMs: number) =>
    Report.rowOf({ name: "page", mostBytes: 120_000 }, [{ ...visit, bytes }], [{ largestPaintMs: 2_000, blockingMs }])

  it("holds at its bars, by CPU time and not by the clock", () =>
    assert.deepStrictEqual(Report.missesOf(row(120_000, 200)), []))

  it("names what it misses", () =>
    assert.deepStrictEqual(Report.missesOf(row(120_100, 201)), [
      "page: blockingCpuMs 201, at most 200",
      "page: 120.1 kB, at most 120.0 kB"
    ]))
})
