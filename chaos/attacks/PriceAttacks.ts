/** Pools whose prices differ from those of the market. */
import { Effect } from "effect"
import { erc20Abi, parseUnits } from "viem"
import { units } from "../../src/devnet/Tokens.ts"
import type { Attack, Fight } from "./Fight.ts"
import * as Pools from "./Pools.ts"

/** Dollars of USDC in the pool. */
const DEPTH = 550n

/** Length of an attack, longer than prices are cached. */
const SECONDS = 20

/** Opens a WETH/USDC pool whose price is wrong by a tenth, with little in it. */
const open = Effect.fnUntraced(function* ({ place, purse }: Fight) {
  const { USDC, WETH } = place.dev.tokens
  yield* purse.giveToken(purse.account, "WETH", 1n)
  return yield* Pools.open(place, purse, {
    sides: [
      { token: WETH, amount: parseUnits("0.166", 18) },
      { token: USDC, amount: units("USDC", DEPTH) }
    ],
    fee: 10_000,
    // Deep enough at its wrong price for the amount by which prices are measured.
    width: 400,
    aged: false
  })
})

/** DAI of an owner. */
const WHOLE = 60n

/** Asks for quotes while the pool is there. */
const wrongPrice = (fight: Fight) =>
  Effect.gen(function* () {
    yield* fight.purse.giveToken(fight.purse.account, "USDC", 1_000n)
    const pool = yield* open(fight)
    const owners = yield* fight.owners(fight.size)
    yield* Effect.forEach(owners, (owner) => fight.purse.giveToken(owner, "DAI", WHOLE), {
      concurrency: "unbounded",
      discard: true
    })
    for (let second = 0; second < SECONDS; second++) {
      yield* fight.quotes(owners.slice(0, 1), {
        tokenIn: fight.place.dev.tokens.DAI,
        amountIn: units("DAI", WHOLE)
      })
      yield* Effect.sleep("1 second")
    }
    yield* pool.pull()
  })

/** Gives the pool its USDC back when sweeps have taken half of it, so that the next ones compete for it as well. */
const bait = (fight: Fight) =>
  Effect.gen(function* () {
    const { place, purse } = fight
    const { USDC } = place.dev.tokens
    yield* purse.giveToken(purse.account, "USDC", 100n * DEPTH)
    const pool = yield* open(fight)
    for (let look = 0; look < 4 * SECONDS; look++) {
      yield* Effect.sleep("250 millis")
      const left = yield* place.dev.node.ask("read the pool's balance", (node) =>
        node.readContract({ address: USDC, abi: erc20Abi, functionName: "balanceOf", args: [pool.pool] })
      )
      if (left < units("USDC", DEPTH / 2n)) {
        yield* fight.counted(pool.trade(USDC, units("USDC", DEPTH) - left))
      }
    }
    yield* pool.pull()
  })

export const PRICE_ATTACKS: ReadonlyArray<Attack> = [
  {
    name: "wrong-pool-price",
    about: "A new WETH/USDC pool with $500 a side is 10 % off, so that prices disagree.",
    tokens: "listed",
    expects: { quoted: 1 },
    play: wrongPrice
  },
  {
    name: "bait-pool",
    about:
      "A WETH/USDC pool with $500 a side is 10 % off and refilled after each sweep, so that sweeps of one block compete for it.",
    tokens: "listed",
    expects: {},
    play: bait
  }
]
