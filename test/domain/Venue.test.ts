import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Address from "../../src/domain/Address.ts"
import * as Venue from "../../src/domain/Venue.ts"

const address = (byte: number): Address.Address => Address.of(`0x${byte.toString(16).padStart(40, "0")}`)

const venues: Record<Venue.VenueFamily, Venue.Venue> = {
  "uniswap-v2": { name: "sushi-v2", family: "uniswap-v2", router: address(1), factory: address(11) },
  "uniswap-v3": {
    name: "pancake-v3",
    family: "uniswap-v3",
    router: address(2),
    quoter: address(12),
    feeTiers: [2_500]
  },
  solidly: { name: "aerodrome", family: "solidly", router: address(3), factory: address(13) },
  slipstream: {
    name: "slipstream",
    family: "slipstream",
    router: address(4),
    quoter: address(14),
    tickSpacings: [1, 200]
  },
  "uniswap-v4": {
    name: "uniswap-v4",
    family: "uniswap-v4",
    router: address(5),
    quoter: address(15),
    poolManager: address(25),
    pools: [{ currency0: Address.zero, currency1: address(6), fee: 500, tickSpacing: 10, hooks: address(0xc0) }]
  }
}
const all = Object.values(venues)

describe("the venues of a chain", () => {
  it("may be of every family", () => {
    for (const venue of all) assert.deepStrictEqual(Schema.decodeUnknownSync(Venue.Venue)(venue), venue)
    assert.isUndefined(Venue.objection({ swapRouter: address(9), venues: all }))
    assert.isUndefined(Venue.objection({}))
  })

  it("have a name that fits into logs, and kinds of pools that fit into a path", () => {
    const { "uniswap-v3": v3, "uniswap-v4": v4, slipstream } = venues
    const pool = v4.pools?.[0] ?? assert.fail("it lists a pool")
    const refused = [
      { ...v3, name: "Pancake v3" },
      { ...v3, feeTiers: [] },
      { ...v3, feeTiers: [0] },
      { ...v3, feeTiers: [2 ** 24] },
      { ...v3, feeTiers: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
      { ...slipstream, tickSpacings: [2 ** 23] },
      { ...v3, family: "curve" },
      { ...v4, pools: [{ ...pool, currency0: address(7) }] },
      { ...v4, pools: [{ ...pool, tickSpacing: 0 }] },
      { ...v4, pools: [{ ...pool, fee: 2 ** 24 }] },
      { ...v4, pools: Array.from({ length: 33 }, () => pool) }
    ]
    for (const each of refused) assert.throws(() => Schema.decodeUnknownSync(Venue.Venue)(each))
  })

  it("have what their family needs, and nothing that it does not use", () => {
    const { factory: _factory, ...solidly } = venues.solidly
    const { quoter: _quoter, ...v3 } = venues["uniswap-v3"]
    const { poolManager: _poolManager, ...v4 } = venues["uniswap-v4"]
    const cases: ReadonlyArray<readonly [Venue.Venue, string]> = [
      [solidly, "aerodrome has no factory, which the family solidly needs"],
      [v3, "pancake-v3 has no quoter, which the family uniswap-v3 needs"],
      [v4, "uniswap-v4 has no poolManager, which the family uniswap-v4 needs"],
      [
        { ...venues.solidly, poolManager: address(5) },
        "aerodrome has poolManager, which the family solidly does not use"
      ],
      [{ ...venues.slipstream, feeTiers: [100] }, "slipstream has feeTiers, which the family slipstream does not use"],
      [{ ...venues["uniswap-v2"], quoter: address(5) }, "sushi-v2 has quoter, which the family uniswap-v2 does not use"]
    ]
    for (const [venue, said] of cases) assert.strictEqual(Venue.objection({ venues: [venue] }), `venues: ${said}`)
  })

  it("have a name and a router of their own", () => {
    const { solidly } = venues
    const cases: ReadonlyArray<readonly [ReadonlyArray<Venue.Venue>, string]> = [
      [[{ ...solidly, name: "uniswap-v3" }], "the name uniswap-v3 is taken"],
      [[solidly, { ...solidly, router: address(7) }], "the name aerodrome is taken"],
      [[solidly, { ...solidly, name: "other" }], "the router of other belongs to another venue"],
      [[{ ...solidly, router: address(9) }], "the router of aerodrome belongs to another venue"]
    ]
    for (const [declared, said] of cases) {
      assert.strictEqual(Venue.objection({ swapRouter: address(9), venues: declared }), `venues: ${said}`)
    }
  })
})
