/** The control of a run: as many clients as an attacker has, whose sweeps all go well. They delay others by their load alone. */
import { Effect } from "effect"
import { parseEther } from "viem"
import { units } from "../../src/devnet/Tokens.ts"
import type { Attack } from "./Fight.ts"

const OWNERS = 52

/** As attackers have who send transactions: accounts without any share a small budget of first sweeps. */
const OWN_GAS = parseEther("1")

/** Whole DAI of a sweep. */
const WHOLE = 60n

export const CROWD: Attack = {
  name: "crowd",
  about: "52 owners of listed tokens sweep, and do nothing else.",
  tokens: "listed",
  // A control whose sweeps do not all settle is missed anyway.
  expects: {},
  play: (fight) =>
    Effect.gen(function* () {
      const owners = yield* fight.owners(OWNERS)
      yield* fight.purse.endow(owners, { native: OWN_GAS, token: "DAI", whole: WHOLE })
      const order = { tokenIn: fight.place.dev.tokens.DAI, amountIn: units("DAI", WHOLE) }
      yield* fight.submit(yield* fight.quotes(owners, order))
      yield* fight.settled
    })
}
