/** The orchestrator that commands for owners use, and the facts that they review its orders by. */
import { Console, Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { builder } from "../config/Builder.ts"
import { chains as chainSettings } from "../config/Chains.ts"
import type { DevInfo } from "../devnet/DevInfo.ts"
import * as Address from "../domain/Address.ts"
import { MOST } from "../domain/AskedTokens.ts"
import type { VenueFamily } from "../domain/Venue.ts"
import { swapOnArrival } from "../sdk/arrivals.ts"
import { SweepError, type ReviewOptions } from "../sdk/index.ts"
import {
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call,
  readVenueCall,
  type Routers,
  type SwapReader,
  VENUE_ROUTERS
} from "../sdk/venues.ts"
import * as LocalNetwork from "./LocalNetwork.ts"
import { UsageError } from "./UsageError.ts"

/** Tokens to look for in a portfolio. */
export const find = Flag.String("find").pipe(
  Flag.withSchema(
    Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/, { message: "expected the address of a token" }))
  ),
  Flag.withDescription(
    `Address of a token to look for on every chain, beside those of the lists. May be repeated, up to ${MOST} times. Default: none`
  ),
  Flag.atLeast(0)
)

/** The addresses of the flag, for requests of the client. */
export const asked = (texts: ReadonlyArray<string>): ReadonlyArray<Address.Address> =>
  texts.map((text) => Address.of(text as `0x${string}`))

/** Runs a function of the client. */
export const called =
  <E>(failed: (detail: string) => E) =>
  <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, E> =>
    Effect.tryPromise({
      try: run,
      catch: (error) => failed(error instanceof SweepError ? error.message : `unexpected: ${String(error)}`)
    })

/** Some routers of the family `uniswap-v3` take a deadline in each swap, and others do not. */
const readUniswapV3Family: SwapReader = (target, calldata) =>
  readSwapRouter02(target, calldata) ?? readUniswapV3Call(target, calldata)

const READERS: Readonly<Record<VenueFamily, SwapReader>> = {
  "uniswap-v2": readUniswapV2Call,
  "uniswap-v3": readUniswapV3Family,
  "uniswap-v4": readUniswapV4Call,
  solidly: readSolidlyCall,
  slipstream: readSlipstreamCall
}

const routersOf = ({ swapRouter, venues = [] }: DevInfo["chains"][number]): Routers => ({
  [swapRouter]: readSwapRouter02,
  ...Object.fromEntries(venues.map(({ family, router }) => [router, READERS[family]]))
})

/** Readers of the calls that the service makes on the public chains, of those that are given besides, and of swaps on arrival. */
export const readers = (chains: DevInfo["chains"]): ReviewOptions => ({
  routers: { ...VENUE_ROUTERS, ...Object.fromEntries(chains.map((chain) => [chain.id, routersOf(chain)])) },
  unlistedRouter: readVenueCall,
  arrivals: swapOnArrival({
    handlers: Object.fromEntries(
      chains.flatMap(({ id, multicallHandler }) => (multicallHandler === undefined ? [] : [[id, multicallHandler]]))
    ),
    routers: Object.fromEntries(chains.map(({ id, swapRouter }) => [id, swapRouter]))
  })
})

/** Facts of the local network's file, so that the review need not rest on the service. The file names no periphery of the bridge. */
const localReview = ({ chains }: DevInfo): ReviewOptions => ({
  ...readers(chains),
  delegates: Object.fromEntries(chains.map(({ delegate, id }) => [id, delegate])),
  bridges: Object.fromEntries(
    chains.map(({ id, spokePool, tokens }) => [
      id,
      {
        spokePool,
        tokens: Object.fromEntries(Object.entries(tokens).map(([symbol, { address }]) => [symbol, address])),
        ...(tokens["WETH"] === undefined ? {} : { wrappedNative: tokens["WETH"].address })
      }
    ])
  ),
  unconfirmed: "warn"
})

/** Service and facts for the review: of the settings, or else of the local network, which is then named on standard error. */
export const located = Effect.gen(function* () {
  const set = yield* builder.orchestratorUrl.config
  if (Option.isSome(set)) {
    const domainName = yield* chainSettings.domainName.config
    return { url: set.value.href.replace(/\/$/, ""), review: { ...readers([]), domainName } }
  }
  const local = yield* LocalNetwork.running
  if (Option.isNone(local)) {
    return yield* new UsageError({
      detail: "ORCHESTRATOR_URL is not set. Set it to the base URL of the orchestrator, or start `./sweep dev`"
    })
  }
  const { file, info } = local.value
  yield* Console.error(`using the local network of ${file}: ${info.orchestratorUrl}`)
  return { url: info.orchestratorUrl, review: localReview(info) }
})
