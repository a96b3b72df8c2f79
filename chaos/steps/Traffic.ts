/** Sweeps that are offered during a step, of one token and of wallets, and the time that each takes to settle. */
import { Clock, Effect, Schedule } from "effect"
import * as SweepClient from "../../test/support/SweepClient.ts"
import * as Client from "../Client.ts"
import { AMOUNT_IN, type Place, TOKEN_IN, TOKEN_OUT, walletOn } from "../Holdings.ts"
import type { Slot } from "../Slot.ts"
import type { World } from "../World.ts"

type Offered = Client.Sweep | Client.Batch

/** Interval at which a client looks at its sweep. */
const LOOK_MILLIS = 40

/** A sweep that has not settled after so long is reported. */
const PATIENCE_MILLIS = 60_000

/** Sweeps of a burst, which are submitted at the same time. The last is a wallet's. */
export const BURST = 3

/** Of the sweeps where something is broken, every second one is a wallet's, on both chains. */
const WALLET_EVERY = 2

/** Repeats of a quote that is refused on a healthy chain, one each second, where times are not judged: a deadline of the service may pass. */
const UNTIMED_REPEATS = 5

/** Repeats of a quote before a fault, which a busy machine may take too long for, even where times are judged. */
const PREPARING_REPEATS = 2

/** Repeats a quote each second until it is this one. */
const insist = <A>(quote: Effect.Effect<A>, until: (quoted: A) => boolean, times: number) =>
  Effect.repeat(quote, { schedule: Schedule.spaced("1 second"), until, times })

const isQuoted = (quoted: Offered | undefined) => quoted !== undefined

/** Waits until these intents have left `submitted`. Returns the milliseconds since then, and undefined after a minute. */
const settled = Effect.fnUntraced(function* (slot: Slot, ids: ReadonlyArray<string>, sinceMillis: number) {
  const answers = SweepClient.make(slot.url)
  const isSettled = (id: string) =>
    answers.get(`/intents/${id}`).then(
      (answer) => answer.status === 200 && ["settled_source", "delivered", "failed"].includes(answer.string("status")),
      () => false
    )
  for (;;) {
    const all = yield* Effect.promise(() => Promise.all(ids.map(isSettled)))
    const millis = (yield* Clock.currentTimeMillis) - sinceMillis
    if (all.every(Boolean)) return millis
    if (millis > PATIENCE_MILLIS) return undefined
    yield* Effect.sleep(LOOK_MILLIS)
  }
})

/** `isTimed`: false if no bar judges the times of responses. */
export const make = (world: World, firstOwner: number, isTimed: boolean) => {
  const { alpha, beta, client, owners, slots } = world
  const preparing = isTimed ? PREPARING_REPEATS : UNTIMED_REPEATS
  let turn = 0
  let hinderedSoFar = 0

  const next = <A>(from: ReadonlyArray<A>): A => {
    const found = from[turn++ % from.length]
    if (found === undefined) throw new Error("there is nothing to take turns with")
    return found
  }
  const nextOwner = () => next(owners.slice(firstOwner))

  const quote = (place: Place, slot: Slot, destination?: Place) =>
    client.quote(slot.url, nextOwner(), {
      chain: place.info,
      tokenIn: TOKEN_IN,
      amountIn: AMOUNT_IN,
      tokenOut: destination === undefined ? TOKEN_OUT : TOKEN_IN,
      ...(destination === undefined ? {} : { destChain: destination.info })
    })

  /** Quotes the tokens of one owner on these chains, for one signature. */
  const quoteWallet = (places: ReadonlyArray<Place>, destination: Place, slot: Slot) =>
    client.quoteBatch(slot.url, nextOwner(), { tokens: walletOn(places), destination, tokenOut: TOKEN_OUT })

  /** One sweep through to its settlement: its time in milliseconds, or what went wrong. */
  const sweep = Effect.fnUntraced(function* (place: Place, slot: Slot, quoted: Effect.Effect<Offered | undefined>) {
    const where = `${place.info.name}, which is healthy, by ${slot.name}`
    const offered = yield* insist(quoted, isQuoted, isTimed ? 0 : UNTIMED_REPEATS)
    if (offered === undefined) return `no quote on ${where}`
    const began = yield* Clock.currentTimeMillis
    const answer = yield* client.submit(slot.url, offered)
    if (answer !== "acknowledged") {
      return `a submission on ${where} was ${answer}: ${client.refusals.get(offered.id) ?? "no response"}`
    }
    const ids = Client.idsOf(offered)
    return (yield* settled(slot, ids, began)) ?? `${ids.join(" ")} did not settle within a minute on ${where}`
  })

  return {
    /** Sweeps on a chain that nothing hinders. Returns the times, and what went wrong. */
    healthy: Effect.fnUntraced(function* (place: Place, through: ReadonlyArray<Slot> = slots) {
      const results = yield* Effect.forEach(
        Array.from({ length: BURST }, () => next(through)),
        (slot, index) =>
          sweep(place, slot, index === BURST - 1 ? quoteWallet([place], place, slot) : quote(place, slot)),
        { concurrency: "unbounded" }
      )
      return {
        times: results.filter((result) => typeof result === "number"),
        findings: results.filter((result) => typeof result === "string")
      }
    }),
    /** A sweep where something is broken. A refusal is right there, and nothing is waited for. */
    hindered: Effect.fnUntraced(function* (place: Place, destination?: Place) {
      const slot = next(slots)
      hinderedSoFar += 1
      const offered: Offered | undefined =
        hinderedSoFar % WALLET_EVERY === 0
          ? yield* quoteWallet([alpha, beta], destination ?? place, slot)
          : yield* quote(place, slot, destination)
      if (offered !== undefined) yield* client.submit(slot.url, offered)
    }),
    /** A quote that its owner signed, not submitted yet. */
    quoted: (place: Place, destination?: Place) =>
      insist(
        Effect.suspend(() => quote(place, next(slots), destination)),
        isQuoted,
        preparing
      ),
    /** Quotes of an owner's tokens on both chains, signed once and not submitted yet: of all, if one of a few attempts has them. */
    quotedWallet: (destination: Place) =>
      insist(
        Effect.suspend(() => quoteWallet([alpha, beta], destination, next(slots))),
        (batch) => batch?.legs.length === walletOn([alpha, beta]).length,
        preparing
      ),
    settled,
    nextSlot: () => next(slots)
  }
}

export type Traffic = ReturnType<typeof make>
