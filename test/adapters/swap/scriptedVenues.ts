/** Venues that a test scripts, on a chain whose guard lists what the test says. */
import { Effect, Logger, References } from "effect"
import { decodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi, numberToHex } from "viem"
import { sweepGuard } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import * as BestVenue from "../../../src/adapters/swap/BestVenue.ts"
import type { VenueSource } from "../../../src/adapters/swap/VenueSource.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import type {
  NoRoute,
  RouteOf,
  RoutingUnavailable,
  SwapRequest,
  SwapRoute
} from "../../../src/ports/orchestrator/SwapVenue.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain, client } from "../../support/FakeChain.ts"

export const FIRST = address(0x20)
export const [A, B, C] = [address(0x21), address(0x22), address(0x23)]
export const STRANGER = address(0x66)
export const USDC = address(0xd1)

export const request: SwapRequest = {
  chainId: chain.id,
  tokenIn: address(0x11),
  tokenOut: USDC,
  amountIn: 1_000n,
  sender: address(1),
  recipient: address(2),
  slippageBps: 50,
  deadline: 1_900_000_000n
}

export const routeVia = (target: Address.Address, amountOut: bigint, gas = 100_000n): SwapRoute => ({
  provider: "said by the source",
  target,
  calldata: "0x1234",
  amountOut,
  minAmountOut: amountOut - 1n,
  gas,
  passing: 0
})

/** A source with one router, and the number of readings and routes that it was asked for. */
export const source = (name: string, router: Address.Address, routeOf: RouteOf) => {
  const asked = { prepared: 0, routes: 0 }
  const made: VenueSource = {
    name,
    routersOn: () => [router],
    prepare: () =>
      Effect.sync(() => {
        asked.prepared++
        return (terms) =>
          Effect.suspend(() => {
            asked.routes++
            return routeOf(terms)
          })
      })
  }
  return { ...made, asked }
}

export const paying = (name: string, router: Address.Address, amountOut: bigint, gas?: bigint) =>
  source(name, router, () => Effect.succeed(routeVia(router, amountOut, gas)))

export const failing = (name: string, router: Address.Address, failure: NoRoute | RoutingUnavailable) =>
  source(name, router, () => Effect.fail(failure))

interface Setting {
  /** Routers that the guard lists. `down`: the chain does not answer. */
  listed: ReadonlyArray<Address.Address> | "down"
  /** Reads of the guard's list. */
  reads: number
}

const lists = (data: Hex, listed: ReadonlyArray<Address.Address>): Hex => {
  const { args, functionName } = decodeFunctionData({ abi: sweepGuard.abi, data })
  const isListed = listed.includes(Address.of(String(args?.[0])))
  const isTrue = functionName === "activeFrom" ? isListed : isListed && args?.[1] === 0
  return numberToHex(isTrue ? 1 : 0, { size: 32 })
}

/** Answers what the guard lists, and what gas costs: 10 gwei. */
const nodeOf = (setting: Setting): ChainClient => ({
  ...client({
    call: ({ data }) =>
      Effect.suspend(() => {
        setting.reads++
        const { listed } = setting
        if (listed === "down") {
          return Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "down" }))
        }
        const call = decodeFunctionData({ abi: multicall3Abi, data })
        if (call.functionName !== "aggregate3") return Effect.die("another call")
        const result = call.args[0].map(({ callData }) => ({ success: true, returnData: lists(callData, listed) }))
        return Effect.succeed(encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result }))
      }),
    feesPerGas: Effect.succeed({
      baseFeePerGas: 9n * 10n ** 9n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n
    })
  }),
  chain: { ...chain, swapRouter: FIRST }
})

const USD = 10n ** 18n
export const prices = (usd: Prices["Service"]["usd"]): Prices["Service"] => ({
  usd,
  detailed: () => Effect.die("not asked for")
})
const known = prices(() =>
  Effect.succeed(
    new Map([
      [NATIVE, 3_000n * USD],
      [USDC, USD]
    ])
  )
)

/** The venue of these sources, what the guard lists, and the events that were logged. */
export const scene = Effect.fnUntraced(function* (
  sources: ReadonlyArray<VenueSource>,
  { listed = [A, B, C], usd = known }: { readonly listed?: Setting["listed"]; readonly usd?: Prices["Service"] } = {}
) {
  const setting: Setting = { listed, reads: 0 }
  const node = nodeOf(setting)
  const events: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    const { venue = "" } = fiber.getRef(References.CurrentLogAnnotations)
    events.push(`${[message].flat().join(" ")} ${String(venue)}`)
  })
  const logged = Effect.provide(Logger.layer([logger]))
  const venue = yield* BestVenue.make(sources).pipe(
    Effect.provideService(Chains, { all: [node], get: () => Effect.succeed(node) }),
    Effect.provideService(Prices, usd)
  )
  return {
    setting,
    events,
    prepare: (asked: SwapRequest) =>
      logged(
        Effect.map(
          venue.prepare(asked),
          (routeOf): RouteOf =>
            (terms) =>
              logged(routeOf(terms))
        )
      ),
    route: (asked: SwapRequest) => logged(venue.route(asked))
  }
})

export const names = ({ alternatives = [], provider }: SwapRoute) => [
  provider,
  ...alternatives.map((next) => next.provider)
]
