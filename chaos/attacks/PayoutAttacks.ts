/** Owners whose sweeps pay native currency to a contract that burns all gas, once their sweeps are sent. */
import { Effect } from "effect"
import { type Hex, numberToHex, size } from "viem"
import { units } from "../../src/devnet/Tokens.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import type { Attack, Fight } from "./Fight.ts"
import { SPOILED } from "./Reach.ts"

/** Whole DAI of a sweep. */
const WHOLE = 60n
const AMOUNT = units("DAI", WHOLE)

/** Time of a play without an attack, beside which honest sweeps go on. */
const REST = "5 seconds"

/**
 * Gas that a payment uses in rehearsals, 260,000 in hexadecimal. It makes the network fee, and with it the gas limit, more than twice what
 * the owner paid before, and stays below the limit of unlisted sweeps.
 */
const REHEARSED_GAS = "03f7a0"

/**
 * Contract with a switch. A call with data sets its first storage slot. A payment uses a fixed amount of gas while the slot is zero, and
 * otherwise runs an invalid instruction, which uses up all gas.
 */
const RUNTIME: Hex = `0x3615600c57600035600055005b6000546021575a5b62${REHEARSED_GAS}5a820310601457005bfe`

const LENGTH = size(RUNTIME).toString(16)

/** Deploys it. */
const CREATION: Hex = `0x60${LENGTH}600c60003960${LENGTH}6000f3${RUNTIME.slice(2)}`

const TURN_GAS = 60_000n

/** Owners who hold DAI for two sweeps, the first of which has settled. */
const settled = Effect.fnUntraced(function* (fight: Fight) {
  const owners = yield* fight.owners(fight.size)
  yield* fight.purse.endow(owners, { native: 0n, token: "DAI", whole: 2n * WHOLE })
  yield* fight.submit(yield* fight.quotes(owners, { tokenIn: fight.place.dev.tokens.DAI, amountIn: AMOUNT }))
  yield* fight.settled
  const { settled: count } = yield* fight.ended
  if (count === 0) fight.findings.push("no first sweep settled")
  return owners
})

/** True if the class of the contract has lost. */
const hasLost = ({ world: { sql } }: Fight, contract: Hex) =>
  Effect.map(
    sql`
      SELECT FROM orchestrator.exposure_sums
      WHERE class LIKE 'unlisted:token_out:%' AND lower(class) LIKE ${`%${contract.toLowerCase()}`} AND lost > 0 LIMIT 1`,
    (rows) => rows.length > 0
  )

/** Sweeps into the contract, and turns its switch ahead of the first transaction of a lane that carries one of the sweeps. */
const burned = Effect.fnUntraced(function* (fight: Fight) {
  const { contractAddress: contract } = yield* fight.purse.run("deploy a burner", { data: CREATION })
  if (!contract) return yield* Effect.die(new Error("a deployment has an address"))
  const owners = yield* settled(fight)
  const { dev } = fight.place
  const quoted = yield* fight.quotes(owners, {
    tokenIn: dev.tokens.DAI,
    amountIn: AMOUNT,
    tokenOut: NATIVE,
    destination: contract
  })
  const turn = { isMade: false }
  yield* fight.aheadOfSends((tip) => {
    if (turn.isMade) return undefined
    turn.isMade = true
    const data = numberToHex(1, { size: 32 })
    return dev.node.ask("turn", () => fight.purse.send({ to: contract, data, gas: TURN_GAS, tip }))
  })
  yield* fight.submit(quoted)
  yield* fight.concluded
  const { burned: failed } = yield* fight.ended
  if (!turn.isMade) fight.findings.push("no transaction of a lane carried its sweeps")
  if (failed === 0) fight.findings.push("no sweep failed at the relayer's cost")
  if (!(yield* hasLost(fight, contract))) fight.findings.push("the budget that limits it counted no loss")
})

/** Fights that were played. Again, the attack would pay once more for what it may burn. */
const played = new WeakSet<Fight>()

export const paidBurner: Attack = {
  name: "paid-burner",
  about:
    "Owners pay for one sweep that settles, and then sweep DAI into native currency at a contract, which a switch turns into a burner of all gas ahead of the lane.",
  tokens: "unlisted",
  expects: SPOILED,
  play: (fight) =>
    Effect.gen(function* () {
      if (played.has(fight)) return yield* Effect.sleep(REST)
      played.add(fight)
      yield* burned(fight)
    }).pipe(Effect.scoped)
}
