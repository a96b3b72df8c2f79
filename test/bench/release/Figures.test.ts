import { assert, describe, it } from "@effect/vitest"
import { FIGURES, judged, numberAt } from "../../../bench/release/Figures.ts"

const relay = {
  shareOfNode: 0.6,
  flood: { settledPerSecond: 999, cpuMsPerSweep: { orchestrator: 0.5, postgres: 0.51, node: 0.5 } }
}

const verdictOf = (id: string) => judged({ relay }).find(({ figure }) => figure.id === id)

describe("figures of a release", () => {
  it("have ids of their own", () => {
    assert.strictEqual(new Set(FIGURES.map(({ id }) => id)).size, FIGURES.length)
  })

  it("meet a bar that they reach exactly, and miss it otherwise", () => {
    assert.isTrue(verdictOf("settled-of-node")?.isMet)
    assert.isTrue(verdictOf("orchestrator-cpu")?.isMet)
    assert.isFalse(verdictOf("settled")?.isMet)
    assert.isFalse(verdictOf("postgres-cpu")?.isMet)
  })

  it("are shown without a verdict if they have no bar or no value", () => {
    assert.isUndefined(verdictOf("node-cpu")?.isMet)
    assert.strictEqual(verdictOf("node-cpu")?.value, 0.5)
    assert.isUndefined(verdictOf("read-of-bare")?.isMet)
    assert.isUndefined(verdictOf("read-of-bare")?.value)
  })

  it("divide by what was measured beside them", () => {
    assert.strictEqual(verdictOf("orchestrator-of-node")?.value, 1)
    assert.isUndefined(
      judged({ storage: { hotUpdatesPerSweep: 1, updatesPerSweep: 0 } }).find(({ figure }) => figure.id === "hot")
        ?.value
    )
  })

  it("are found under names with slashes", () => {
    const line = { latency: { "GET /intents/:id": { p99Ms: 8 } } }
    assert.strictEqual(numberAt(line, "latency/GET ~1intents~1:id/p99Ms"), 8)
    assert.isUndefined(numberAt(line, "latency/GET/p99Ms"))
    assert.isUndefined(numberAt({ a: "8" }, "a"))
  })
})
