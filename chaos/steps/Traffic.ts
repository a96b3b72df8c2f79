/** Sweeps that are offered during a step, and the time that each takes to settle. */
import { Clock, Effect } from "effect"
import * as SweepClient from "../../test/support/SweepClient.ts"
import type * as Client from "../Client.ts"
import { AMOUNT_IN, type Place, TOKEN_IN, TOKEN_OUT } from "../Holdings.ts"
import type { Slot } from "../Slot.ts"
import type { World } from "../World.ts"

/** Interval at which a client looks at its sweep. */
const LOOK_MILLIS = 40

/** A sweep that has not settled after so long is reported. */
const PATIENCE_MILLIS = 60_000

/** Sweeps of a burst, which are submitted at the same time. */
export const BURST = 3

export const make = (world: World, firstOwner: number) => {
  const { client, owners, slots } = world
  let turn = 0

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

  /** Waits until the sweep has left `submitted`; undefined after a minute. */
  const settled = Effect.fnUntraced(function* (slot: Slot, { id }: Client.Sweep, sinceMillis: number) {
    const answers = SweepClient.make(slot.url)
    for (;;) {
      const status = yield* Effect.promise(() =>
        answers.get(`/intents/${id}`).then(
          (answer) => (answer.status === 200 ? answer.string("status") : "unknown"),
          () => "unknown"
        )
      )
      const millis = (yield* Clock.currentTimeMillis) - sinceMillis
      if (["settled_source", "delivered", "failed"].includes(status)) return millis
      if (millis > PATIENCE_MILLIS) return undefined
      yield* Effect.sleep(LOOK_MILLIS)
    }
  })

  /** One sweep through to its settlement: its time in milliseconds, or what went wrong. */
  const sweep = Effect.fnUntraced(function* (place: Place, slot: Slot) {
    const where = `${place.info.name}, which is healthy, by ${slot.name}`
    const offered = yield* quote(place, slot)
    if (offered === undefined) return `no quote on ${where}`
    const began = yield* Clock.currentTimeMillis
    const answer = yield* client.submit(slot.url, offered)
    if (answer !== "acknowledged") {
      return `a submission on ${where} was ${answer}: ${client.refusals.get(offered.id) ?? "no response"}`
    }
    return (yield* settled(slot, offered, began)) ?? `${offered.id} did not settle within a minute on ${where}`
  })

  return {
    /** Sweeps on a chain that nothing hinders. Returns the times, and what went wrong. */
    healthy: Effect.fnUntraced(function* (place: Place, through: ReadonlyArray<Slot> = slots) {
      const results = yield* Effect.forEach(
        Array.from({ length: BURST }, () => next(through)),
        (slot) => sweep(place, slot),
        { concurrency: "unbounded" }
      )
      return {
        times: results.filter((result) => typeof result === "number"),
        findings: results.filter((result) => typeof result === "string")
      }
    }),
    /** Sweeps where something is broken. Refusals are right there, and nothing is waited for. */
    hindered: Effect.fnUntraced(function* (place: Place, destination?: Place) {
      const slot = next(slots)
      const offered = yield* quote(place, slot, destination)
      if (offered !== undefined) yield* client.submit(slot.url, offered)
    }),
    /** A quote that its owner signed, not submitted yet. */
    quoted: (place: Place, destination?: Place) => quote(place, next(slots), destination),
    nextSlot: () => next(slots)
  }
}

export type Traffic = ReturnType<typeof make>
