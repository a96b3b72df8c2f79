/**
 * Simulated costs of the last sweeps, by their kind and by their venue. Only the first assumption of a quote comes from them: every order is
 * simulated.
 */
import * as CostMemory from "../../domain/CostMemory.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { SimulatedSweep } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type * as Routing from "./Routing.ts"

/** Parts of a quote that tell which sweeps cost nearly the same. */
export interface Terms {
  readonly client: Pick<ChainClient, "chain">
  readonly request: QuoteRequest
  readonly isDelegated: boolean
}

/** Kinds of sweeps whose last cost is remembered. */
const REMEMBERED_KINDS = 10_000

/** Sweeps of one pair of tokens. */
const pairOf = ({ client, isDelegated, request }: Terms): string =>
  [client.chain.id, request.tokenIn, request.destChainId, request.tokenOut, isDelegated].join(" ")

/** Sweeps of any tokens from one chain to another, by any venue. */
const laneOf = ({ client, isDelegated, request }: Terms): string =>
  [client.chain.id, request.destChainId, isDelegated].join(" ")

const venueOf = (terms: Terms, { provider }: Pick<Routing.Route, "provider">): string => `${laneOf(terms)} ${provider}`

/** Keeps the last samples of each kind. */
const makeSamples = () => {
  const samples = LatestMap.make<string, ReadonlyArray<CostMemory.CostSample>>(REMEMBERED_KINDS)
  return {
    add: (kind: string, sample: CostMemory.CostSample) =>
      samples.set(kind, CostMemory.remembered(samples.get(kind) ?? [], sample)),
    typical: (kind: string) => CostMemory.typical(samples.get(kind) ?? [])
  }
}

/** Makes `remember`, `typical`, `knowsLane` and `expected`. */
export const make = () => {
  const whole = makeSamples()
  const beside = makeSamples()

  /** Remembers the simulated cost of a sweep by this route. */
  const remember = (terms: Terms, route: Routing.Route, { dataFee, dataGas, gas }: SimulatedSweep): void => {
    const sample = { gas: gas + dataGas, dataFee }
    whole.add(pairOf(terms), sample)
    if (route.gas === undefined) return
    const rest = CostMemory.beside(sample, route.gas)
    beside.add(venueOf(terms, route), rest)
    beside.add(laneOf(terms), rest)
  }

  /** Cost of the last sweeps of the pair. Undefined without any. */
  const typical = (terms: Terms): CostMemory.CostSample | undefined => whole.typical(pairOf(terms))

  /** True if {@link expected} tells a cost for any route that tells its gas. */
  const knowsLane = (terms: Terms): boolean => beside.typical(laneOf(terms)) !== undefined

  /** Cost by the gas that the route expects, and by what the last sweeps of its venue cost beside theirs. Undefined if either is unknown. */
  const expected = (terms: Terms, route: Routing.Route): CostMemory.CostSample | undefined => {
    const rest = beside.typical(venueOf(terms, route)) ?? beside.typical(laneOf(terms))
    return rest === undefined || route.gas === undefined ? undefined : CostMemory.together(rest, route.gas)
  }

  return { remember, typical, knowsLane, expected }
}
