/** Tokens that tell a rehearsal from the real transaction, or that are expensive all the time. */
import { Effect } from "effect"
import { encodeFunctionData, parseEther, parseUnits } from "viem"
import { sweepEntry, sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import type { Attack, Fight } from "./Fight.ts"
import { type Reach, REHEARSED } from "./Reach.ts"
import type { Behaviour, Terms } from "./Token.ts"

/** Whole tokens of a sweep, a dollar each. */
export const WHOLE = "60"
export const AMOUNT = parseUnits(WHOLE, 18)

const FAITHFUL: Behaviour = { trigger: "never", deed: "revert" }

interface Plan {
  readonly terms?: Terms
  /** Each is in force for one sweep of every owner. */
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly prepare?: (
    fight: Fight,
    token: Effect.Success<ReturnType<Fight["token"]>>
  ) => Effect.Effect<unknown, unknown>
}

/** Sweeps a token of the attacker's own for fresh owners, under each behaviour. */
const sweepOwn = (fight: Fight, { behaviours, prepare, terms }: Plan) =>
  Effect.gen(function* () {
    const token = yield* fight.token(terms)
    if (prepare !== undefined) yield* prepare(fight, token)
    for (const behaviour of behaviours) {
      yield* token.turn(behaviour)
      const owners = yield* fight.owners(fight.size)
      yield* token.mint(
        owners.map(({ address }) => address),
        WHOLE
      )
      yield* fight.submit(yield* fight.quotes(owners, { tokenIn: token.address, amountIn: AMOUNT }))
      yield* fight.concluded
    }
    yield* token.turn(FAITHFUL)
    yield* token.pool.pull()
  })

const own = (name: string, about: string, expects: Reach, plan: Plan): Attack => ({
  name,
  about,
  tokens: "unlisted",
  expects,
  play: (fight) => sweepOwn(fight, plan)
})

/** Sweeps settle, and the relayer pays for them. */
const PAID: Reach = { quoted: 1, submitted: 1, settled: 1 }

const BURNER: Behaviour = { trigger: "always", deed: "burnGas", size: 100_000n }

/**
 * Wei that a chain may still spend in its day when the attack on the daily cap begins: enough for about 210 honest sweeps, of which there are
 * about 180 during the attack, and too little for them and the gas that the attacker would burn, about 0.02 ETH.
 */
const LEFT_OF_CAP = parseEther("0.07")

/** The operator's daily cap is near, and an attacker uses it up. */
const spendCap: Attack = {
  ...own("spend-cap", "Burnt gas uses up DAILY_SPEND_CAP_WEI, so that nothing more would be sent for a day.", PAID, {
    behaviours: [BURNER, BURNER, BURNER]
  }),
  settings: ({ alpha, sql }) =>
    Effect.map(
      sql<{ wei: string }>`
        SELECT coalesce(sum(wei), 0)::text AS wei FROM orchestrator.relay_spending
        WHERE chain_id = ${alpha.dev.chain.id}`,
      ([row]) => ({ DAILY_SPEND_CAP_WEI: String(BigInt(row?.wei ?? 0) + LEFT_OF_CAP) })
    )
}

/** Ticks on each side of the price of a pool that is narrow: about 1.2 %. */
const NARROW = 120

/** A pool of $150 a side that passes a check of its price because it is narrow. */
const SHALLOW: Terms = { usd: 150n, width: NARROW }

export const TOKEN_ATTACKS: ReadonlyArray<Attack> = [
  own("gas-burner", "A token burns 100,000 gas in each transfer, and its sweeps succeed.", PAID, {
    terms: SHALLOW,
    behaviours: [BURNER]
  }),
  own("gas-burner-in-a-deep-pool", "The same, with a pool of $500,000 a side that is emptied afterwards.", PAID, {
    behaviours: [BURNER]
  }),
  spendCap,
  own(
    "worthless-fees",
    "Sweeps succeed and pay fees, round by round, in a token that is worth nothing once its pool is empty.",
    PAID,
    {
      behaviours: [FAITHFUL, FAITHFUL, FAITHFUL]
    }
  ),
  own("gas-price-reader", "A token reverts if the transaction has a gas price.", REHEARSED, {
    behaviours: [{ trigger: "gasPrice", deed: "revert" }]
  }),
  own("base-fee-reader", "A token reverts if the block has a base fee.", REHEARSED, {
    behaviours: [{ trigger: "baseFee", deed: "revert" }]
  }),
  own("coinbase-reader", "A token reverts if the block has no fee recipient, as those of a local node.", REHEARSED, {
    behaviours: [{ trigger: "noCoinbase", deed: "revert" }]
  }),
  own("randomness-reader", "A token reverts in every second block, by the block's randomness.", REHEARSED, {
    behaviours: [
      { trigger: "oddRandomness", deed: "revert" },
      { trigger: "evenRandomness", deed: "revert" }
    ]
  }),
  own(
    "parent-reader",
    "A token reverts if the block's parent has a hash, as it may not have in a rehearsal.",
    REHEARSED,
    {
      behaviours: [{ trigger: "knownParent", deed: "revert" }]
    }
  ),
  own("block-reader", "A token burns gas and reverts in blocks with an odd number.", REHEARSED, {
    behaviours: [{ trigger: "oddBlock", deed: "revert" }]
  }),
  own("gas-left-reader", "A token reverts if it has less gas than a rehearsal gives it.", REHEARSED, {
    behaviours: [{ trigger: "littleGas", deed: "revert", threshold: 290_000n }]
  }),
  own("gas-left-burner", "A token burns all of its gas if it has less than a rehearsal gives it.", REHEARSED, {
    behaviours: [{ trigger: "littleGas", deed: "burnGas", size: 30_000_000n, threshold: 290_000n }]
  }),
  own(
    "behaves-then-fails",
    "A token is swept faithfully first. Then it reverts by its gas, and by the block's randomness.",
    { ...PAID, ...REHEARSED },
    {
      behaviours: [
        FAITHFUL,
        { trigger: "littleGas", deed: "revert", threshold: 290_000n },
        { trigger: "evenRandomness", deed: "revert" }
      ]
    }
  ),
  own("return-bomb", "A token returns 200 kB of data when it reverts, in blocks with an odd number.", REHEARSED, {
    behaviours: [{ trigger: "oddBlock", deed: "returnBomb", size: 200_000n }]
  }),
  own("guard-callback", "A token calls the guard and the entry in each transfer.", PAID, {
    behaviours: [{ trigger: "always", deed: "callBack" }],
    prepare: ({ place: { info } }, token) =>
      token.setCalls([
        {
          to: info.guard,
          data: encodeFunctionData({ abi: sweepGuard.abi, functionName: "enter", args: [1n, 0, info.entry] })
        },
        { to: info.guard, data: encodeFunctionData({ abi: sweepGuard.abi, functionName: "cancel", args: [1n] }) },
        { to: info.entry, data: encodeFunctionData({ abi: sweepEntry.abi, functionName: "run", args: [[]] }) }
      ])
  })
]
