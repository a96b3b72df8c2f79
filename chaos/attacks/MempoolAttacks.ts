/** Tokens and pools that change between the quote and the transaction, at the latest when the transaction is in the pool. */
import { Effect } from "effect"
import { parseUnits } from "viem"
import type { Attack, Fight } from "./Fight.ts"
import { SPOILED } from "./Reach.ts"
import type { Behaviour, Terms, Token } from "./Token.ts"
import { AMOUNT, WHOLE } from "./TokenAttacks.ts"

interface Plan {
  readonly terms?: Terms
  /** Sent ahead of each transaction that carries a sweep of the attack, with this tip. */
  readonly ahead: (fight: Fight, token: Token, tip: bigint) => Effect.Effect<unknown, unknown>
  /** Makes the next round possible. Safe to repeat. */
  readonly restore: (fight: Fight, token: Token) => Effect.Effect<unknown, unknown>
  /** Default: 2. */
  readonly rounds?: number
  /** Owners of each round. Default: the size of the attack. */
  readonly owners?: (fight: Fight) => number
}

/** Owners that one call mints for. */
const MINTED = 200

export const mintFor = Effect.fnUntraced(function* (token: Token, addresses: ReadonlyArray<`0x${string}`>) {
  for (let start = 0; start < addresses.length; start += MINTED) {
    yield* token.mint(addresses.slice(start, start + MINTED), WHOLE)
  }
})

const runAhead = (fight: Fight, { ahead, owners: count = ({ size }) => size, restore, rounds = 2, terms }: Plan) =>
  Effect.gen(function* () {
    const token = yield* fight.token(terms)
    yield* Effect.gen(function* () {
      yield* fight.aheadOfSends((tip) => ahead(fight, token, tip))
      for (let round = 0; round < rounds; round++) {
        const owners = yield* fight.owners(count(fight))
        yield* mintFor(
          token,
          owners.map(({ address }) => address)
        )
        yield* fight.submit(yield* fight.quotes(owners, { tokenIn: token.address, amountIn: AMOUNT }))
        yield* fight.concluded
        yield* restore(fight, token)
      }
    }).pipe(Effect.scoped)
    // A sweep that was put off may have been sent since the last round, and the attacker has run ahead of it.
    yield* restore(fight, token)
    yield* token.pool.pull()
  })

const QUIET: Behaviour = { trigger: "never", deed: "revert" }

const switched = (
  name: string,
  about: string,
  behaviour: Behaviour,
  more: Pick<Plan, "owners" | "rounds"> = {}
): Attack => ({
  name,
  about,
  tokens: "unlisted",
  expects: SPOILED,
  play: (fight) =>
    runAhead(fight, {
      ahead: (_, token, tip) => token.turnSoon(behaviour, tip),
      restore: (_, token) => token.turn(QUIET),
      ...more
    })
})

const own = (name: string, about: string, plan: Plan): Attack => ({
  name,
  about,
  tokens: "unlisted",
  expects: SPOILED,
  play: (fight) => runAhead(fight, plan)
})

/** Pulls the pool after the quotes, before anything is submitted. */
const pulledEarly: Attack = {
  name: "pool-pulled",
  about: "The pool is emptied after the quotes and before the submissions.",
  tokens: "unlisted",
  expects: { quoted: 1, submitted: 1 },
  play: (fight) =>
    Effect.gen(function* () {
      const token = yield* fight.token()
      const owners = yield* fight.owners(fight.size)
      yield* mintFor(
        token,
        owners.map(({ address }) => address)
      )
      const quoted = yield* fight.quotes(owners, { tokenIn: token.address, amountIn: AMOUNT })
      yield* token.pool.pull()
      yield* fight.submit(quoted)
      yield* fight.concluded
    })
}

/** Sells so much of its own token that the sweeps behind fall short of their minimum. */
const SANDWICH = parseUnits("20000", 18)

/** A fifth of the block's gas at most, so that a swap fits beside. */
const GAS_BOMB = 30_000_000n

export const MEMPOOL_ATTACKS: ReadonlyArray<Attack> = [
  switched("switch-in-mempool", "A switch makes the token revert, ahead of the lane's transaction.", {
    trigger: "always",
    deed: "revert"
  }),
  switched("gas-bomb", "A switch makes the token burn all of its gas, ahead of the lane's transaction.", {
    trigger: "always",
    deed: "burnGas",
    size: GAS_BOMB
  }),
  switched("return-bomb-in-mempool", "A switch makes the token return 200 kB, ahead of the lane's transaction.", {
    trigger: "always",
    deed: "returnBomb",
    size: 200_000n
  }),
  switched("fee-on-transfer", "A tax of half of each transfer is switched on, ahead of the lane's transaction.", {
    trigger: "always",
    deed: "tax",
    size: 5_000n
  }),
  switched("rebase", "Every balance is halved ahead of the lane's transaction.", {
    trigger: "always",
    deed: "rebase",
    size: 5_000n
  }),
  own("proxy-upgrade", "The token is a proxy that is upgraded to other code, ahead of the lane's transaction.", {
    terms: { isProxy: true },
    ahead: ({ place }, token, tip) => token.upgradeSoon(place.dev.chain.multicall3, tip),
    restore: ({ purse }, token) =>
      Effect.gen(function* () {
        yield* token.upgradeSoon(token.implementation, 1n)
        yield* purse.run("wait for the upgrade", { to: purse.account.address, gas: 21_000n })
      })
  }),
  pulledEarly,
  own("pool-pulled-in-mempool", "The pool is emptied ahead of the lane's transaction.", {
    ahead: (_, token, tip) => token.pool.pull(tip),
    restore: () => Effect.void,
    rounds: 1
  }),
  own("own-sandwich", "The owner moves the pool's price ahead of its own sweep, below the signed minimum.", {
    ahead: (_, token, tip) => token.pool.trade(token.address, SANDWICH, tip),
    restore: () => Effect.void,
    rounds: 1
  }),
  switched(
    "sybil-owners",
    "Thousands of owners of one funding account sweep a token that a switch breaks, ahead of the lane's transactions.",
    { trigger: "always", deed: "revert" },
    { owners: ({ sybils }) => sybils, rounds: 1 }
  )
]
