/** A server between an example and the orchestrator that changes quotes, and records the submissions that reach it. */
import { Effect } from "effect"
import { decodeFunctionData, encodeFunctionData, parseAbi } from "viem"

export type Members = { readonly [key: string]: unknown }

/** Response of `POST /quote`. */
export interface WireOffer {
  readonly quote: Members
  readonly order: Members
  readonly signing: {
    readonly typedData: Members & { readonly domain: Members; readonly message: Members }
    readonly authorization: Members
  }
}

export interface Attack {
  readonly name: string
  readonly change: (offer: WireOffer) => WireOffer
  /** Message of the refusal. Undefined if it depends on the example. */
  readonly refusal: RegExp | undefined
}

const STRANGER = "0x00000000000000000000000000000000C0FfeE00"

/** Changes the order wherever it appears, so that the offer stays consistent. */
const order =
  (changes: Members, quote: Members = {}) =>
  (offer: WireOffer): WireOffer => {
    const changed = { ...offer.order, ...changes }
    const typedData = { ...offer.signing.typedData, message: changed }
    return { quote: { ...offer.quote, ...quote }, order: changed, signing: { ...offer.signing, typedData } }
  }

/** Changes the delegate wherever it appears. */
const delegate = (offer: WireOffer): WireOffer => ({
  ...offer,
  quote: { ...offer.quote, settlementAddress: STRANGER },
  signing: { ...offer.signing, authorization: { ...offer.signing.authorization, address: STRANGER } }
})

const routerAbi = parseAbi([
  "function multicall(uint256 deadline, bytes[] calls)",
  "function pull(address token, uint256 value)"
])

/** Adds a call that takes what the owner allowed the router before. */
const alsoSpending = (calldata: string): string => {
  const { args } = decodeFunctionData({ abi: routerAbi, data: calldata as `0x${string}` })
  const [deadline, calls] = args
  if (typeof deadline !== "bigint" || !Array.isArray(calls)) throw new Error("the service made another call")
  const theft = encodeFunctionData({ abi: routerAbi, functionName: "pull", args: [STRANGER, 10n ** 30n] })
  return encodeFunctionData({ abi: routerAbi, functionName: "multicall", args: [deadline, [...calls, theft]] })
}

/** Response of `POST /quotes`. */
interface WireQuotes {
  readonly quotes: ReadonlyArray<Pick<WireOffer, "quote" | "order"> | { readonly reason: string }>
  readonly signing: {
    readonly typedData: Members & { readonly domain: Members }
    readonly authorizations: ReadonlyArray<Members>
  }
}

/** Attacks every quote and every authorization of a response. */
const changeAll = ({ change }: Attack, { quotes, signing, ...rest }: WireQuotes): WireQuotes => {
  const offerOf = (entry: Pick<WireOffer, "quote" | "order">, authorization: Members = {}): WireOffer => ({
    ...entry,
    signing: { typedData: { ...signing.typedData, message: entry.order }, authorization }
  })
  const [first] = quotes.flatMap((entry) => ("order" in entry ? [entry] : []))
  if (first === undefined) throw new Error("the service quoted nothing")
  return {
    ...rest,
    quotes: quotes.map((entry) => {
      if (!("order" in entry)) return entry
      const { order, quote } = change(offerOf(entry))
      return { quote, order }
    }),
    signing: {
      ...signing,
      authorizations: signing.authorizations.map((each) => change(offerOf(first, each)).signing.authorization)
    }
  }
}

const seconds = (ahead: number): string => String(Math.floor(Date.now() / 1000) + ahead)

/** Attacks that only the client can stop: the contracts run any order that the owner signed. */
export const ATTACKS: ReadonlyArray<Attack> = [
  { name: "another owner", change: order({ owner: STRANGER }), refusal: /owner/ },
  { name: "another token to send", change: order({ tokenIn: STRANGER }), refusal: /tokenIn/ },
  { name: "a larger amount", change: order({ amountIn: "50000000000000000000" }), refusal: /amountIn/ },
  { name: "another token to receive", change: order({ tokenOut: STRANGER }), refusal: /tokenOut/ },
  { name: "another destination", change: order({ destination: STRANGER }), refusal: /destination/ },
  { name: "another destination chain", change: order({ destChainId: "1" }), refusal: /destChainId/ },
  {
    name: "a high protocol fee",
    change: order({ feeAmount: "24000000000000000000" }, { total: "24000000000000000000" }),
    refusal: /fees are|quote\.total/
  },
  {
    name: "a builder that nobody named",
    change: (offer) =>
      order(
        { builder: STRANGER, builderFee: "1" },
        { builderId: "x", total: String(BigInt(String(offer.quote["total"])) + 1n) }
      )(offer),
    refusal: /builder/
  },
  {
    name: "next to nothing to receive",
    change: order({ minAmountOut: "1" }, { minAmountOut: "1" }),
    refusal: /minAmountOut/
  },
  { name: "a deadline far ahead", change: order({ deadline: seconds(7_200) }), refusal: /deadline/ },
  { name: "a deadline in the past", change: order({ deadline: seconds(-600) }), refusal: /deadline/ },
  {
    name: "another source chain",
    change: (offer) => ({ ...offer, quote: { ...offer.quote, sourceChainId: 1 } }),
    refusal: /source ?chain/i
  },
  { name: "another router", change: order({ swapTarget: STRANGER }), refusal: /router|swapTarget/ },
  {
    name: "a router call that also spends another token",
    change: (offer) => order({ swapCalldata: alsoSpending(String(offer.order["swapCalldata"])) })(offer),
    refusal: /router/
  },
  {
    name: "a router call with surplus bytes",
    change: (offer) => order({ swapCalldata: `${String(offer.order["swapCalldata"])}00` })(offer),
    refusal: /router/
  },
  { name: "another delegate", change: delegate, refusal: /delegate|settlementAddress/ }
]

/** Attacks on `signing` alone. The examples without the client do not read it; the client refuses them. */
export const ATTACKS_ON_SIGNING: ReadonlyArray<Attack> = [
  {
    name: "other data to sign",
    change: ({ signing: { authorization, typedData }, ...rest }) => ({
      ...rest,
      signing: {
        typedData: {
          ...typedData,
          domain: { ...typedData.domain, verifyingContract: STRANGER },
          message: { ...typedData.message, destination: STRANGER, amountIn: "50000000000000000000" }
        },
        authorization: { ...authorization, address: STRANGER, chainId: 1 }
      }
    }),
    refusal: undefined
  }
]

export interface HostileServer {
  /** Base URL under which quotes are changed by the attack with this name. */
  readonly urlOf: (attack: string) => string
  /** Submissions so far, by attack. */
  readonly submissions: ReadonlyMap<string, ReadonlyArray<Members>>
}

/** Starts the server. It forwards every request, also submissions: a signature that an attack obtained would count. */
export const start = (orchestratorUrl: string, attacks: ReadonlyArray<Attack>) =>
  Effect.gen(function* () {
    const submissions = new Map<string, Array<Members>>()
    const answer = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      const [, index, ...rest] = pathname.split("/")
      const attack = attacks[Number(index)]
      if (attack === undefined) return new Response(null, { status: 404 })
      const path = `/${rest.join("/")}`
      const body = request.method === "POST" ? await request.text() : undefined
      if ((path === "/intents" || path === "/sweeps") && body !== undefined) {
        submissions.set(attack.name, [...(submissions.get(attack.name) ?? []), JSON.parse(body)])
      }
      const response = await fetch(orchestratorUrl + path, {
        method: request.method,
        headers: { "content-type": "application/json", "x-forwarded-for": `198.51.100.${Number(index) + 100}` },
        ...(body === undefined ? {} : { body })
      })
      if (response.ok && path === "/quote") return Response.json(attack.change((await response.json()) as WireOffer))
      if (response.ok && path === "/quotes")
        return Response.json(changeAll(attack, (await response.json()) as WireQuotes))
      return new Response(await response.text(), { status: response.status })
    }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer })),
      (running) => Effect.promise(() => running.stop(true))
    )
    return {
      urlOf: (name) => `${server.url.origin}/${attacks.findIndex((attack) => attack.name === name)}`,
      submissions
    } satisfies HostileServer
  })
