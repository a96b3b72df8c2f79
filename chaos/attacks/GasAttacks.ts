/** Quotes as options on the gas price: they are signed while gas is cheap and submitted when it is not. */
import { Effect } from "effect"
import { parseGwei } from "viem"
import { units } from "../../src/devnet/Tokens.ts"
import * as Course from "./Course.ts"
import type { Attack, Fight } from "./Fight.ts"
import type { Reach } from "./Reach.ts"
import { QUIET, SEEN_MILLIS } from "./Market.ts"

const WHOLE = 5_000n

/** Factor of the base fee in a spike. */
const SPIKE = 200n

/** Time of each part of an attack, in milliseconds. */
const SPIKE_MILLIS = 6_000
const TOOTH_MILLIS = 1_500

/** Its sweeps are mined, whatever the price of gas was meanwhile. */
const MINED: Reach = { quoted: 1, submitted: 1, carried: 1 }

const cheaply = Effect.fnUntraced(function* (fight: Fight, count: number) {
  const owners = yield* fight.owners(count)
  yield* Effect.forEach(owners, (owner) => fight.purse.giveToken(owner, "DAI", WHOLE), {
    concurrency: "unbounded",
    discard: true
  })
  return yield* fight.quotes(owners, { tokenIn: fight.place.dev.tokens.DAI, amountIn: units("DAI", WHOLE) })
})

const spiked = (fight: Fight, factor: bigint) => fight.market.follow(Course.level(QUIET * factor))

const quiet = (fight: Fight) => Effect.addFinalizer(() => fight.market.calm)

const option: Attack = {
  name: "gas-option",
  about: "Quotes of 1 gwei are submitted when the base fee is 200 gwei.",
  tokens: "listed",
  expects: MINED,
  play: (fight) =>
    Effect.gen(function* () {
      yield* quiet(fight)
      const quoted = yield* cheaply(fight, fight.size)
      yield* spiked(fight, SPIKE)
      yield* Effect.sleep(SEEN_MILLIS)
      yield* fight.submit(quoted)
      yield* Effect.sleep(SPIKE_MILLIS)
      yield* fight.market.calm
      yield* fight.settled
    }).pipe(Effect.scoped)
}

const queued: Attack = {
  name: "gas-spike-in-pool",
  about: "The base fee rises 200 times while the sweeps are in the pool, so that they are replaced or wait.",
  tokens: "listed",
  expects: { ...MINED, deeds: 1 },
  play: (fight) =>
    Effect.gen(function* () {
      yield* quiet(fight)
      const quoted = yield* cheaply(fight, fight.size)
      yield* fight
        .aheadOfSends(() => spiked(fight, SPIKE))
        .pipe(Effect.andThen(fight.submit(quoted)), Effect.andThen(Effect.sleep(2 * SPIKE_MILLIS)), Effect.scoped)
      yield* fight.market.calm
      // The spike may have cost a self-send. The sweeps pay their fees when the price has fallen.
      yield* fight.settled
    }).pipe(Effect.scoped)
}

const modest: Attack = {
  name: "gas-drift",
  about: "Quotes of 1 gwei are submitted when the base fee is 3 gwei, again and again.",
  tokens: "listed",
  expects: MINED,
  play: (fight) =>
    Effect.gen(function* () {
      yield* quiet(fight)
      for (let round = 0; round < 2; round++) {
        yield* fight.market.calm
        yield* Effect.sleep(SEEN_MILLIS)
        const quoted = yield* cheaply(fight, fight.size)
        yield* spiked(fight, 3n)
        yield* Effect.sleep(SEEN_MILLIS)
        yield* fight.submit(quoted)
        yield* fight.concluded
      }
    }).pipe(Effect.scoped)
}

const sawtooth: Attack = {
  name: "base-fee-sawtooth",
  about: "The base fee jumps between 1 and 30 gwei. Quotes are taken low and submitted high.",
  tokens: "listed",
  expects: MINED,
  play: (fight) =>
    Effect.gen(function* () {
      yield* quiet(fight)
      const teeth: Course.Course = { low: QUIET, high: 30n * QUIET, toothMillis: TOOTH_MILLIS }
      yield* fight.market.follow(teeth)
      const until = (high: boolean) =>
        Effect.sleep("50 millis").pipe(Effect.repeat({ until: () => Course.isHigh(teeth, Date.now()) === high }))
      for (let tooth = 0; tooth < 3; tooth++) {
        yield* until(true)
        yield* until(false)
        const quoted = yield* cheaply(fight, Math.ceil(fight.size / 2))
        yield* until(true)
        yield* fight.submit(quoted)
      }
      yield* fight.concluded
    }).pipe(Effect.scoped)
}

/** Tip of the attacker's transactions in wei per gas, and their number: more than one in every block. */
const HIGH_TIP = parseGwei("50")
const TIPPED = 60

const tips: Attack = {
  name: "tip-inflation",
  about: "Transactions with a tip of 50 gwei raise the estimated tip while honest sweeps wait to be sent.",
  tokens: "listed",
  expects: { ...MINED, deeds: 1 },
  play: (fight) =>
    Effect.gen(function* () {
      const quoted = yield* cheaply(fight, fight.size)
      yield* Effect.gen(function* () {
        for (let count = 0; count < TIPPED; count++) {
          yield* fight.counted(
            fight.sendAs(fight.purse.account, {
              to: fight.purse.account.address,
              value: 1n,
              gas: 21_000n,
              tip: HIGH_TIP
            })
          )
          yield* Effect.sleep("100 millis")
        }
      }).pipe(Effect.forkChild)
      yield* Effect.sleep(SEEN_MILLIS)
      yield* fight.submit(quoted)
      yield* Effect.sleep(SPIKE_MILLIS)
      yield* fight.concluded
    })
}

export const GAS_ATTACKS: ReadonlyArray<Attack> = [option, queued, modest, sawtooth, tips]
