/**
 * Each alert that a service can raise has a test that provokes it, and one that sees it end. The table names the assertions, so that
 * this test fails if one of them goes, and does not compile if an alert is added without them.
 */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { KINDS } from "../../src/domain/AlertKind.ts"
import { type Life, LIVES, type Proof } from "./alertLives.ts"

const at = (path: string): string => new URL(`../../${path}`, import.meta.url).pathname

/** Source of the test whose title begins so. Empty if the file has none, or skips it. */
const sourceOf = ({ file, title }: Proof): string => {
  const path = at(`test/${file}`)
  const tests = existsSync(path) ? readFileSync(path, "utf8").split(/^(?= *it[.(])/m) : []
  return tests.find((test) => test.includes(`"${title}`) && !/^ *it\.(?:\w+\.)*(?:skip|todo|fails)\b/.test(test)) ?? ""
}

/** The assertions that are missing. The alert's end is asserted after it stood. */
const missing = ({ ended, raised }: Life): ReadonlyArray<string> => {
  const [first, second] = [sourceOf(raised), sourceOf(ended)]
  const stood = first.indexOf(raised.asserts)
  const over = second.lastIndexOf(ended.asserts)
  return [
    ...(stood < 0 ? [`${raised.file}: "${raised.title}" does not assert ${raised.asserts}`] : []),
    ...(over < 0 || (first === second && over <= stood)
      ? [`${ended.file}: "${ended.title}" does not assert ${ended.asserts} in the end`]
      : [])
  ]
}

describe("alerts", () => {
  it.each(KINDS)("%s is provoked and ends in a test", (kind) => {
    assert.deepStrictEqual(missing(LIVES[kind]), [])
  })

  it("without a test are noticed", () => {
    const { raised } = LIVES.lane_low
    assert.lengthOf(missing({ raised, ended: { ...raised, title: "no such test" } }), 1)
    assert.lengthOf(missing({ raised, ended: raised }), 1)
    assert.lengthOf(missing({ raised: { ...raised, asserts: "nothing" }, ended: LIVES.lane_low.ended }), 1)
  })

  it("are explained in the reference, each once", () => {
    const page = readFileSync(at("docs/reference/alerts.md"), "utf8")
    const explained = [...page.matchAll(/^\| `([a-z_]+)`/gm)].map(([, kind]) => kind)
    assert.sameMembers(explained, [...KINDS])
    assert.lengthOf(explained, KINDS.length)
  })
})
