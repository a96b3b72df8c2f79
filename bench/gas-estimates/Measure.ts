/** Estimates of random sweeps beside the gas of their receipts. */
import { Effect, Random } from "effect"
import type { NodeKind } from "../../src/devnet/DevChain.ts"
import type { Network } from "../../src/devnet/Network.ts"
import { type Case, draw } from "./Cases.ts"
import * as Scene from "./Scene.ts"

/** A sweep that was sent alone. */
export interface Single {
  readonly case: Case
  readonly estimated: number
  readonly charged: number
  /** Estimate above the charged gas, in percent of it. */
  readonly percent: number
  readonly isSettled: boolean
}

/** A batch, whose sweeps share its fixed costs and what they warm. */
export interface Batch {
  readonly sweeps: number
  readonly settled: number
  /** Sum of the estimates of the sweeps alone. */
  readonly estimated: number
  readonly charged: number
}

export interface Measured {
  readonly singles: ReadonlyArray<Single>
  readonly batches: ReadonlyArray<Batch>
}

/** Bounds of {@link Single.percent}. An estimate below the charged gas would cost the relayer money. */
export const BOUNDS = { from: 0, to: 8 } as const

const BATCH_SIZES = { from: 2, to: 8 } as const

export const outside = ({ isSettled, percent }: Single): boolean =>
  !isSettled || percent < BOUNDS.from || percent > BOUNDS.to

/** A batch costs no more than its sweeps alone, and all of them settle within their gas limits. */
export const failed = ({ charged, estimated, settled, sweeps }: Batch): boolean =>
  charged > estimated || settled !== sweeps

export interface Plan {
  /** Program of the network's nodes. */
  readonly program: NodeKind
  /** Sweeps that are sent alone, before the random ones. */
  readonly named?: ReadonlyArray<Case>
  /** Random sweeps that are sent alone. */
  readonly count: number
  readonly batches: number
  readonly seed: number | string
}

/** Measures sweeps alone and in batches. The same seed draws the same sweeps. */
export const measure = (
  network: Network,
  { batches, count, named = [], program, seed }: Plan
): Effect.Effect<Measured, unknown> =>
  Effect.gen(function* () {
    const { quote, send } = yield* Scene.make(network, program)
    const single = Effect.fnUntraced(function* (each: Case) {
      const sweep = yield* quote(each)
      const { charged, settled } = yield* send([sweep])
      const percent = (Number(sweep.estimated - charged) * 100) / Number(charged)
      return {
        case: sweep.case,
        estimated: Number(sweep.estimated),
        charged: Number(charged),
        percent,
        isSettled: settled === 1
      } satisfies Single
    })
    const batch = Effect.gen(function* () {
      const size = yield* Random.nextIntBetween(BATCH_SIZES.from, BATCH_SIZES.to)
      const sweeps = yield* Effect.forEach(Array.from({ length: size }), () =>
        Effect.flatMap(draw, (each) => quote(each))
      )
      const { charged, settled } = yield* send(sweeps)
      const estimated = sweeps.reduce((sum, each) => sum + each.estimated, 0n)
      return { sweeps: size, settled, estimated: Number(estimated), charged: Number(charged) } satisfies Batch
    })
    return {
      singles: [
        ...(yield* Effect.forEach(named, single)),
        ...(yield* Effect.forEach(Array.from({ length: count }), () => Effect.flatMap(draw, single)))
      ],
      batches: yield* Effect.forEach(Array.from({ length: batches }), () => batch)
    }
  }).pipe(Random.withSeed(seed), Effect.provide(Scene.adapters(network)))
