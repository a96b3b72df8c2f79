import { assert, describe, it } from "@effect/vitest"
import { judge } from "../../../src/domain/doctor/Roles.ts"
import { nameOf, postsOf, WHOLE } from "../../../src/domain/Role.ts"

const posts = postsOf(WHOLE, [1, 8453])

const LIFETIME = 30_000

/** All posts were seen a second ago, except those that are given with an age, or with undefined if they were never seen. */
const judged = (others: Readonly<Record<string, number | undefined>>, age = 1_000) =>
  judge({
    posts,
    ages: new Map(
      posts.flatMap((post) => {
        const name = nameOf(post)
        const own = name in others ? others[name] : age
        return own === undefined ? [] : [[name, own] as const]
      })
    ),
    lifetimeMillis: LIFETIME
  })

describe("the roles of a deployment", () => {
  it("are well while each has a living process, and before any process has started", () => {
    assert.deepStrictEqual(
      judged({}).map(({ code, seen }) => [code, seen]),
      [["roles_ok", "6 parts have a living process"]]
    )
    assert.deepStrictEqual(
      judged({}, 31_000).map(({ code }) => code),
      ["no_process"]
    )
    assert.deepStrictEqual(
      judge({ posts, ages: new Map(), lifetimeMillis: LIFETIME }).map(({ code }) => code),
      ["no_process"]
    )
  })

  it("are named one by one if no living process has them, with the flags of one that would", () => {
    const findings = judged({ "relay:8453": undefined, outbox: 95_000 })
    assert.deepStrictEqual(
      findings.map(({ advice, code, level, seen, subject }) => [level, code, subject, seen, advice]),
      [
        [
          "error",
          "role_unserved",
          "relay:8453",
          "no process was ever seen",
          "Start a process with it: ./sweep orchestrator --roles relay --chains 8453"
        ],
        [
          "error",
          "role_unserved",
          "outbox",
          "the last process was seen 95 s ago",
          "Start a process with it: ./sweep orchestrator --roles outbox"
        ]
      ]
    )
  })
})
