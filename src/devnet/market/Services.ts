/**
 * The HTTP services that the orchestrator asks, played by one server on loopback. It answers from the market's own state, in the shapes of
 * the services' documentation, and with the faults of its mood. The path begins with the host that it stands in for.
 */
import { Clock, Effect, Option, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { LocalNodeClient } from "../LocalNode.ts"
import * as Facts from "./FactAnswers.ts"
import { type Fault, faultOf, type Mood, MOODS } from "./Faults.ts"
import type { Plan } from "./Plan.ts"
import * as RouteAnswers from "./RouteAnswers.ts"
import * as Routes from "./Routes.ts"
import type { ServiceName } from "./Venues.ts"

/** A chain of the market as the services see it. */
export interface ServedChain {
  readonly id: ChainId
  readonly name: string
  readonly client: LocalNodeClient
  readonly plan: Plan
  readonly spokePool: Address.Address
}

/** First part of the paths by which the market's owner changes the mood (`PUT mood/<mood>`), and reads the faults (`GET faults`). */
export const CONTROL = "control"

/** Answers so far with a fault, by its name. */
export const FaultCounts = Schema.Record(Schema.String, Schema.Int)

/** Hosts that the server stands in for. */
export const HOSTS = [
  "api.0x.org",
  "aggregator-api.kyberswap.com",
  "li.quest",
  "coins.llama.fi",
  "pro-api.coingecko.com",
  "api.gopluslabs.io",
  "api.honeypot.is",
  "app.across.to",
  "api.relay.link"
] as const

interface Reply {
  readonly status: number
  readonly body: unknown
}

const ok = (body: unknown): Reply => ({ status: 200, body })

/** After the deadline of every service that is asked for routes. */
const LATE_MILLIS = 6_000

const isSame = (text: string, address: Address.Address): boolean => text.toLowerCase() === address.toLowerCase()

const addressOf = (text: string): Address.Address => (isSame(text, NATIVE) ? NATIVE : Address.of(text))

interface Wanted extends Routes.Asked {
  readonly sender: Address.Address
  readonly recipient: Address.Address
  readonly slippageBps: number
}

const offerOf = async (
  chain: ServedChain,
  service: ServiceName,
  wanted: Wanted
): Promise<RouteAnswers.Offer | undefined> => {
  const target = chain.plan.site.targets.find(({ name }) => name === service)?.address
  if (target === undefined) return undefined
  const found = await Routes.find(chain.client, chain.plan, wanted, target)
  if (Option.isNone(found)) return undefined
  const { amountOut, hops } = found.value
  const minAmountOut = lessBps(amountOut, wanted.slippageBps)
  return {
    chainId: chain.id,
    tokenIn: wanted.tokenIn,
    tokenOut: wanted.tokenOut,
    amountIn: wanted.amountIn,
    amountOut,
    minAmountOut: minAmountOut > 0n ? minAmountOut : 1n,
    recipient: wanted.recipient,
    sender: wanted.sender,
    spender: target,
    target,
    hops
  }
}

type Handler = (request: {
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly body: string
  readonly fault: Fault | undefined
}) => Promise<Reply>

/** Answers of the services that are asked for routes. */
const routeHandlers = (
  chainOf: (key: string | null) => ServedChain | undefined
): Readonly<Record<string, Handler>> => ({
  "api.0x.org": async ({ fault, query }) => {
    const chain = chainOf(query.get("chainId"))
    const offer =
      chain === undefined
        ? undefined
        : await offerOf(chain, "0x", {
            tokenIn: Address.of(query.get("sellToken") ?? ""),
            tokenOut: addressOf(query.get("buyToken") ?? ""),
            amountIn: BigInt(query.get("sellAmount") ?? "0"),
            sender: Address.of(query.get("taker") ?? ""),
            recipient: Address.of(query.get("recipient") ?? ""),
            slippageBps: Number(query.get("slippageBps"))
          })
    return ok(offer === undefined ? { liquidityAvailable: false, zid: "0x07" } : RouteAnswers.zeroX(offer, fault))
  },
  "aggregator-api.kyberswap.com": async ({ body, fault, path, query }) => {
    const chain = chainOf(path[0] ?? "")
    const refusal: Reply = { status: 400, body: { code: 4008, message: "route not found" } }
    if (chain === undefined) return refusal
    const isBuilding = path.at(-1) === "build"
    const asked = isBuilding ? buildRequest(body) : routeRequest(query)
    const offer = await offerOf(chain, "kyberswap", asked)
    if (offer === undefined) return refusal
    return ok(isBuilding ? RouteAnswers.kyberBuilt(offer, fault) : RouteAnswers.kyberRoutes(offer))
  },
  "li.quest": async ({ fault, query }) => {
    const chain = chainOf(query.get("fromChain"))
    const tokenOut = query.get("toToken") ?? ""
    const offer =
      chain === undefined || query.get("toChain") !== query.get("fromChain")
        ? undefined
        : await offerOf(chain, "lifi", {
            tokenIn: Address.of(query.get("fromToken") ?? ""),
            tokenOut: Address.isZero(Address.of(tokenOut)) ? NATIVE : Address.of(tokenOut),
            amountIn: BigInt(query.get("fromAmount") ?? "0"),
            sender: Address.of(query.get("fromAddress") ?? ""),
            recipient: Address.of(query.get("toAddress") ?? ""),
            slippageBps: Math.round(Number(query.get("slippage")) * 10_000)
          })
    return offer === undefined
      ? { status: 404, body: { code: 1002, message: "No available quotes for the requested transfer" } }
      : ok(RouteAnswers.liFi(offer, fault))
  }
})

const routeRequest = (query: URLSearchParams): Wanted => ({
  tokenIn: Address.of(query.get("tokenIn") ?? ""),
  tokenOut: addressOf(query.get("tokenOut") ?? ""),
  amountIn: BigInt(query.get("amountIn") ?? "0"),
  sender: Address.zero,
  recipient: Address.zero,
  slippageBps: 0
})

const buildRequest = (body: string): Wanted => {
  const { recipient, routeSummary, sender, slippageTolerance } = JSON.parse(body) as {
    readonly routeSummary: { readonly tokenIn: string; readonly tokenOut: string; readonly amountIn: string }
    readonly sender: string
    readonly recipient: string
    readonly slippageTolerance: number
  }
  return {
    tokenIn: Address.of(routeSummary.tokenIn),
    tokenOut: addressOf(routeSummary.tokenOut),
    amountIn: BigInt(routeSummary.amountIn),
    sender: Address.of(sender),
    recipient: Address.of(recipient),
    slippageBps: slippageTolerance
  }
}

/** Answers of the other services. */
const factHandlers = (
  chains: ReadonlyArray<ServedChain>,
  chainOf: (key: string | null) => ServedChain | undefined,
  nowSeconds: () => number
): Readonly<Record<string, Handler>> => ({
  "coins.llama.fi": async ({ path }) => {
    const plans = new Map(chains.map(({ name, plan }) => [name, plan]))
    return ok(Facts.defiLlama(plans, decodeURIComponent(path.at(-1) ?? "").split(","), nowSeconds()))
  },
  "pro-api.coingecko.com": async ({ path, query }) => {
    const chain = chainOf(path.at(-1) ?? "")
    const addresses = (query.get("contract_addresses") ?? "").split(",")
    return ok(chain === undefined ? {} : Facts.coinGecko(chain.plan, addresses, nowSeconds()))
  },
  "api.gopluslabs.io": async ({ path, query }) => {
    const chain = chainOf(path.at(-1) ?? "")
    const addresses = (query.get("contract_addresses") ?? "").split(",")
    return ok(
      chain === undefined ? { code: 2018, message: "chain not supported" } : Facts.goPlus(chain.plan, addresses)
    )
  },
  "api.honeypot.is": async ({ query }) => {
    const chain = chainOf(query.get("chainID"))
    const report = chain === undefined ? undefined : Facts.honeypotIs(chain.plan, query.get("address") ?? "")
    return report === undefined ? { status: 404, body: { error: "no pair" } } : ok(report)
  },
  "app.across.to": async ({ query }) => {
    const [origin, destination] = [chainOf(query.get("originChainId")), chainOf(query.get("destinationChainId"))]
    if (origin === undefined || destination === undefined) {
      return {
        status: 400,
        body: { type: "AcrossApiError", code: "ROUTE_NOT_ENABLED", status: 400, message: "no route" }
      }
    }
    const pools = { origin: origin.spokePool, destination: destination.spokePool }
    return ok(Facts.across(pools, BigInt(query.get("amount") ?? "0"), nowSeconds()))
  },
  // The market has no depository of Relay.
  "api.relay.link": async () => ({
    status: 400,
    body: { message: "no quotes", errorCode: "NO_QUOTES", requestId: "r" }
  })
})

const json = ({ body, status }: Reply): Response => Response.json(body, { status })

const faultName = (fault: Fault): string => (fault._tag === "Lie" ? `lie: ${fault.about}` : fault._tag.toLowerCase())

/** The answer as the fault leaves it. */
const spoiled = async (fault: Fault | undefined, reply: () => Promise<Reply>): Promise<Response> => {
  switch (fault?._tag) {
    case "Down":
      return json({ status: fault.status, body: { message: "unavailable", code: 5000, name: "UNCATEGORIZED" } })
    case "Nonsense":
      return new Response("<html>", { status: 200 })
    case "Late": {
      await Bun.sleep(LATE_MILLIS)
      return json(await reply())
    }
    case "Cut": {
      const text = JSON.stringify((await reply()).body)
      return new Response(text.slice(0, text.length / 2), { status: 200 })
    }
    default:
      return json(await reply())
  }
}

/** Makes the control of the faults: the fault of the next answer, and the answers of the paths below {@link CONTROL}. */
const makeControl = (seed: number) => {
  let mood: Mood = "honest"
  let requests = 0
  const counts = new Map<string, number>()

  const next = (): Fault | undefined => {
    const fault = faultOf(mood, seed, requests++)
    if (fault !== undefined) counts.set(faultName(fault), (counts.get(faultName(fault)) ?? 0) + 1)
    return fault
  }

  const answer = ([topic, value]: ReadonlyArray<string>): Response => {
    if (topic === "faults") return Response.json(Object.fromEntries(counts))
    const wanted = MOODS.find((each) => each === value)
    if (topic !== "mood" || wanted === undefined) return new Response("not found", { status: 404 })
    mood = wanted
    return new Response()
  }

  return { answer, next }
}

/** Starts the server, which runs until the scope closes, and returns its URL. The faults follow from the seed and the number of the request. */
export const start = Effect.fnUntraced(function* (chains: ReadonlyArray<ServedChain>, seed: number) {
  const control = makeControl(seed)
  const chainOf = (key: string | null) => chains.find(({ id, name }) => String(id) === key || name === key)
  const routes = routeHandlers(chainOf)
  const clock = yield* Clock.Clock
  const facts = factHandlers(chains, chainOf, () => Math.floor(clock.currentTimeMillisUnsafe() / 1_000))

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams: query } = new URL(request.url)
    const [host = "", ...path] = pathname.split("/").slice(1)
    if (host === CONTROL) return control.answer(path)
    const handler = routes[host] ?? facts[host]
    if (handler === undefined) return new Response("not found", { status: 404 })
    const fault = host in routes ? control.next() : undefined
    const body = await request.text()
    return spoiled(fault, () => handler({ path, query, body, fault }))
  }

  const server = yield* Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 30, fetch: answer })),
    (running) => Effect.promise(() => running.stop(true))
  )
  return `http://127.0.0.1:${server.port}`
})
