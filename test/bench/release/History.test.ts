import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as History from "../../../bench/release/History.ts"
import { performancePage } from "../../../scripts/docs/PerformancePage.ts"

const history = readFileSync(new URL("../../../bench/history/releases.jsonl", import.meta.url), "utf8")

const release: History.Release = {
  version: "1.2.3",
  day: "2026-11-23",
  machine: { cpu: "a processor", cores: 2, memoryGiB: 24, load: 0.1 },
  figures: { "settled-of-node": 0.6, "wallet-of-token": 2, settled: 500 }
}

const worse = (figures: Readonly<Record<string, number>>) =>
  History.regressions(release, { ...release.figures, ...figures }).map(({ after }) => after)

describe("history of releases", () => {
  it("is kept line by line", () => {
    assert.deepStrictEqual(History.parse(History.lineOf(release) + History.lineOf(release)), [release, release])
    assert.throws(() => History.parse('{"version":1}'))
  })

  it("can be read, as it was committed", () => assert.isArray(History.parse(history)))

  it("finds ratios that became worse by more than a tenth, in either direction", () => {
    assert.deepStrictEqual(worse({}), [])
    assert.deepStrictEqual(worse({ "settled-of-node": 0.55, "wallet-of-token": 2.19 }), [])
    assert.deepStrictEqual(worse({ "settled-of-node": 0.53 }), [0.53])
    assert.deepStrictEqual(worse({ "wallet-of-token": 2.21 }), [2.21])
    assert.deepStrictEqual(worse({ "settled-of-node": 0.9, "wallet-of-token": 1 }), [])
  })

  it("does not compare figures of other machines", () => assert.deepStrictEqual(worse({ settled: 1 }), []))

  it("notices a ratio that is not measured any more", () => {
    const [missing] = History.regressions(release, { settled: 500, "wallet-of-token": 2 })
    assert.isNaN(missing?.after)
  })

  it("is a page with the bars of the latest release and a chart of all", () => {
    const page = performancePage(History.lineOf(release) + History.lineOf({ ...release, version: "1.3.0" }))
    assert.include(page, "Version 1.3.0, measured on 2026-11-23 on 2 cores (a processor)")
    assert.match(page, /\| sweeps settled per second, over a flood \| 500 \| per second \| at least 1,000 \| missed \|/)
    assert.match(page, /1\.2\.3 +█+ 500\n1\.3\.0 +█+ 500\nat least 1,000 +█+ 1,000/)
  })

  it("is a page before the first release, too", () => {
    assert.include(performancePage(""), "No release has been measured yet.")
  })
})
