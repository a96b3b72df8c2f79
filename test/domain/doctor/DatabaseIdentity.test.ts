/** Two connections to one database, or not. */
import { assert, describe, it } from "@effect/vitest"
import { type DatabaseIdentity, difference } from "../../../src/domain/doctor/DatabaseIdentity.ts"

const USED: DatabaseIdentity = {
  database: "sweep",
  oid: "16384",
  systemIdentifier: "7400000000000000001",
  startedAt: "1800000000.123456"
}

const seen = (change: Partial<DatabaseIdentity>) => difference(USED, { ...USED, ...change })

describe("the database of a direct URL", () => {
  it("is that of the services, also if the role may not read the cluster's identifier", () => {
    assert.isUndefined(seen({}))
    assert.isUndefined(seen({ systemIdentifier: undefined }))
  })

  it("is another one of the same server", () =>
    assert.strictEqual(seen({ database: "restored", oid: "16999" }), "to restored instead of sweep"))

  it("is one of another cluster", () =>
    assert.strictEqual(
      seen({ systemIdentifier: "7400000000000000002" }),
      "to a server of the cluster 7400000000000000002 instead of 7400000000000000001"
    ))

  it("is a copy or a former primary, which has the cluster's identifier", () => {
    const former = { startedAt: "1790000000.5" }
    const expected = "to a server that started at 2026-09-21T14:13:20.500Z instead of 2027-01-15T08:00:00.123Z"
    assert.strictEqual(seen(former), expected)
    assert.strictEqual(seen({ ...former, systemIdentifier: undefined }), expected)
  })
})
