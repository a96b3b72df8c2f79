/**
 * Simulated costs of the last sweeps, by their kind and by their venue. Only the first assumption of a quote comes from them: every order is
 * simulated. Anybody can ask for quotes that deliver native currency to an account whose code burns gas. So sweeps of native currency to other
 * accounts than the owner's, which is no contract, tell nothing of other sweeps.
 */
import * as CostMemory from "../../domain/CostMemory.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { paysOthers } from "../../domain/Listing.ts"
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

/** True if the sweep may run code of an account that is not known. */
const mayRunOthersCode = ({ client, request }: Terms): boolean =>
  paysOthers(client.chain, { ...request, destChainId: BigInt(request.destChainId) })

/** Samples of whole sweeps, and of what they cost beside their routes. */
const makeMemory = () => {
  const whole = makeSamples()
  const beside = makeSamples()
  return {
    remember: (terms: Terms, route: Routing.Route, { dataFee, dataGas, gas }: SimulatedSweep): void => {
      const sample = { gas: CostMemory.bounded(gas, route.gas) + dataGas, dataFee }
      whole.add(pairOf(terms), sample)
      if (route.gas === undefined) return
      const rest = CostMemory.beside(sample, route.gas)
      beside.add(venueOf(terms, route), rest)
      beside.add(laneOf(terms), rest)
    },
    wholeOf: (terms: Terms) => whole.typical(pairOf(terms)),
    laneOf: (terms: Terms) => beside.typical(laneOf(terms)),
    besideOf: (terms: Terms, route: Routing.Route) =>
      beside.typical(venueOf(terms, route)) ?? beside.typical(laneOf(terms))
  }
}

type Memory = ReturnType<typeof makeMemory>

/** Makes `remember`, `typical`, `knowsLane` and `expected`. */
export const make = () => {
  const ordinary = makeMemory()
  const others = makeMemory()

  const told = (terms: Terms, ask: (memory: Memory) => CostMemory.CostSample | undefined) =>
    ask(ordinary) ?? (mayRunOthersCode(terms) ? ask(others) : undefined)

  /** Remembers the simulated cost of a sweep by this route. */
  const remember = (terms: Terms, route: Routing.Route, simulated: SimulatedSweep): void =>
    (mayRunOthersCode(terms) ? others : ordinary).remember(terms, route, simulated)

  /** Cost of the last sweeps of the pair. Undefined without any. */
  const typical = (terms: Terms): CostMemory.CostSample | undefined => told(terms, (memory) => memory.wholeOf(terms))

  /** True if {@link expected} tells a cost for any route that tells its gas. */
  const knowsLane = (terms: Terms): boolean => told(terms, (memory) => memory.laneOf(terms)) !== undefined

  /** Cost by the gas that the route expects, and by what the last sweeps of its venue cost beside theirs. Undefined if either is unknown. */
  const expected = (terms: Terms, route: Routing.Route): CostMemory.CostSample | undefined => {
    const rest = told(terms, (memory) => memory.besideOf(terms, route))
    return rest === undefined || route.gas === undefined ? undefined : CostMemory.together(rest, route.gas)
  }

  return { remember, typical, knowsLane, expected }
}
