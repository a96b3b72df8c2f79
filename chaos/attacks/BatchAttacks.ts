/** Owners who sign for many listed tokens at once, so that one call of their account has much gas. */
import { Effect } from "effect"
import type { Hex, PrivateKeyAccount } from "viem"
import * as Budgets from "./Budgets.ts"
import type { Attack, Fight } from "./Fight.ts"
import type { Priced } from "./Money.ts"

/** Whole units of each token that an owner sweeps. */
const HELD = [
  ["DAI", 60n],
  ["USDT", 60n],
  ["BLK", 60n],
  ["WETH", 1n],
  ["WBTC", 1n]
] as const satisfies ReadonlyArray<readonly [Priced, bigint]>

/** Deploys code that is one invalid instruction, which uses up all the gas that it is given. */
const BURNER: Hex = "0x60fe60005360016000f3"

/** Delegates the accounts by a transaction of the purse, so that their owners need no native currency. Returns its hash. */
const delegated = (
  { place, purse }: Fight,
  owners: ReadonlyArray<PrivateKeyAccount>,
  address: Hex,
  tip: bigint
): Effect.Effect<Hex, unknown> =>
  place.dev.node.ask("delegate", async (node) => {
    const chainId = place.dev.chain.id
    const authorizations = await Promise.all(
      owners.map(async (owner) =>
        owner.signAuthorization({ address, chainId, nonce: await node.getTransactionCount({ address: owner.address }) })
      )
    )
    return purse.authorize(authorizations, tip)
  })

export const burnedBatch: Attack = {
  name: "delegated-to-burner",
  about:
    "Owners whose accounts run the delegate already sign for five tokens each. Ahead of the lane, their accounts are delegated to code that burns all gas.",
  tokens: "listed",
  budget: Budgets.LISTED,
  isCheap: true,
  play: (fight) =>
    Effect.gen(function* () {
      const { dev } = fight.place
      const { contractAddress: burner } = yield* fight.purse.run("deploy a burner", { data: BURNER })
      if (!burner) return yield* Effect.die(new Error("a deployment has an address"))
      const owners = yield* fight.owners(fight.size)
      for (const [token, whole] of HELD) yield* fight.purse.endow(owners, { native: 0n, token, whole })
      const hash = yield* delegated(fight, owners, dev.chain.contracts.delegate, 1n)
      yield* dev.node.ask("delegate", (node) => node.waitForTransactionReceipt({ hash }))
      const done = new Set<Hex>()
      yield* fight.aheadOfSends((tip, raw) => {
        const carried = owners.filter(
          ({ address }) => !done.has(address) && raw.includes(address.slice(2).toLowerCase())
        )
        for (const { address } of carried) done.add(address)
        return carried.length === 0 ? Effect.void : delegated(fight, carried, burner, tip)
      })
      yield* fight.sweepAll(
        owners,
        HELD.map(([token]) => token)
      )
      yield* fight.concluded
    }).pipe(Effect.scoped)
}
