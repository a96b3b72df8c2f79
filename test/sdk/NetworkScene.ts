/** The client against the services on the local network. */
import { Effect } from "effect"
import * as Sdk from "../../src/sdk/index.ts"
import { type Owner, type Place, place, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"

export const POLL = { pollMillis: { first: 100, longest: 300 } }

export const requestFor = (
  owner: Owner,
  from: Place,
  tokenIn: string,
  amount: string,
  tokenOut: string,
  to: Place = from
): Sdk.SweepRequest => ({
  owner: owner.address,
  tokenIn: Support.tokenOf(from.info, tokenIn).address,
  amountIn: Support.amountOf({ owner: owner.address, chain: from.info, tokenIn, amountIn: amount, tokenOut }),
  tokenOut: Support.tokenOf(to.info, tokenOut).address,
  destChainId: to.info.id,
  sourceChainId: from.info.id,
  route: `${from.info.name}->${to.info.name}`
})

/** The facts about a chain that the client has built in for public ones. */
const bridgeOf = ({ dev }: Place): Sdk.KnownBridge => ({
  spokePool: dev.spokePool,
  periphery: dev.spokePoolPeriphery,
  wrappedNative: dev.tokens.WETH,
  tokens: { USDC: dev.tokens.USDC, WETH: dev.tokens.WETH }
})

/** The chains, and a client that its number tells from the clients of other tests. Collects the paths that it asks. */
export const setUp = Effect.fnUntraced(function* (client: number) {
  const services = yield* Services
  const [alpha, beta] = [place(services, 0), place(services, 1)]
  const asked: Array<string> = []
  const fetch: Sdk.Fetch = (url, init) => {
    asked.push(new URL(url).pathname.replace(/[0-9a-f-]{36}/, ":id"))
    const headers = new Headers(init.headers)
    headers.set("x-forwarded-for", `198.51.100.${client}`)
    return globalThis.fetch(url, { ...init, headers })
  }
  const options: Sdk.SweepClientOptions = {
    orchestratorUrl: services.info.orchestratorUrl,
    fetch,
    review: {
      maxFeeBps: 1_000,
      delegates: { [alpha.info.id]: alpha.info.delegate, [beta.info.id]: beta.info.delegate },
      routers: { [alpha.info.id]: alpha.info.swapRouter, [beta.info.id]: beta.info.swapRouter },
      bridges: { [alpha.info.id]: bridgeOf(alpha), [beta.info.id]: bridgeOf(beta) }
    },
    nodes: { [alpha.info.id]: alpha.dev.rpcUrl }
  }
  return { services, alpha, beta, asked, options, sweeps: Sdk.createSweepClient(options) }
})

/** Lets the request through and loses the first answer to each path. */
export const losing = (fetch: Sdk.Fetch) => {
  const lost: Array<string> = []
  const keys: Array<string | null> = []
  const unreliable: Sdk.Fetch = async (url, init) => {
    const { pathname } = new URL(url)
    const answer = await fetch(url, init)
    if (init.method !== "POST" || pathname === "/") return answer
    keys.push(new Headers(init.headers).get("idempotency-key"))
    if (lost.includes(pathname)) return answer
    lost.push(pathname)
    throw new TypeError(`lost ${answer.status}`)
  }
  return { fetch: unreliable, keys, lost }
}
