import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { abandoned, nameOf, postsOf, ROLES, type Share, WHOLE, worksOn } from "../../src/domain/Role.ts"

const CHAINS = [1, 8453, 42161] as const

/** The share of a process, by a number for its roles and one for its chains. */
const shareOf = (roles: number, chains: number): Share => ({
  roles: new Set(ROLES.filter((_, index) => (roles >> index) % 2 === 1)),
  chains: new Set(CHAINS.filter((_, index) => (chains >> index) % 2 === 1))
})

const Bits = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 }))

describe("posts", () => {
  it("are one for each role, and one for each chain of a role that is divided by chain", () => {
    assert.deepStrictEqual(postsOf(WHOLE, [1, 8453]).map(nameOf), [
      "api",
      "relay:1",
      "relay:8453",
      "watch:1",
      "watch:8453",
      "outbox"
    ])
  })

  it.prop("are those of the process's roles and chains", [Bits, Bits], ([roles, chains]) => {
    const share = shareOf(roles, chains)
    const own = postsOf(share, CHAINS)
    for (const post of postsOf(WHOLE, CHAINS)) {
      const { chainId, role } = post
      const isOwn = own.some((each) => nameOf(each) === nameOf(post))
      const works =
        chainId === undefined || (role !== "relay" && role !== "watch")
          ? share.roles.has(role)
          : worksOn(share, role, chainId)
      assert.strictEqual(isOwn, works)
    }
  })

  it.prop("are abandoned where neither of two processes has them", [Bits, Bits, Bits, Bits], ([a, b, c, d]) => {
    const posts = [...postsOf(shareOf(a, b), CHAINS), ...postsOf(shareOf(c, d), CHAINS)].map(nameOf)
    const ages = new Map(posts.map((name) => [name, 1_000]))
    assert.deepStrictEqual(
      abandoned(postsOf(WHOLE, CHAINS), ages, 1_000).map(nameOf),
      postsOf(WHOLE, CHAINS)
        .map(nameOf)
        .filter((name) => !posts.includes(name))
    )
    assert.lengthOf(abandoned(postsOf(WHOLE, CHAINS), ages, 999), postsOf(WHOLE, CHAINS).length)
  })
})
