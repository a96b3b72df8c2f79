/** Programs of integrators that the tests of the package type-check or run in a project of their own. */

export const main = `
import {
  createSweepClient,
  IdempotencyKeyInUseError,
  OrderMismatchError,
  QuoteUnavailableError,
  RateLimitedError,
  type SweepReview,
  type SweepSigner
} from "token-sweep"
import { createWalletClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { base } from "viem/chains"

const account = privateKeyToAccount(\`0x\${"11".repeat(32)}\`)
export const signer: SweepSigner = account
const client = createSweepClient({
  orchestratorUrl: "https://sweep.test",
  nodes: { 8453: "https://node.test" },
  retry: { attempts: 2 },
  newIdempotencyKey: () => "a key"
})

export const sweep = async (show: (review: SweepReview) => boolean): Promise<string | undefined> => {
  try {
    const result = await client.sweep(
      { owner: account.address, tokenIn: account.address, amountIn: 1n, tokenOut: account.address, destChainId: 8453 },
      account,
      { confirm: show, signal: AbortSignal.timeout(1000), onProgress: ({ status }) => console.log(status) }
    )
    return result?.intent.txHash
  } catch (error) {
    if (error instanceof IdempotencyKeyInUseError) return error.code satisfies "idempotency_key_in_use"
    if (error instanceof RateLimitedError) return String(error.retryAfterSeconds)
    if (error instanceof QuoteUnavailableError) return error.code satisfies "quote_unavailable"
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field).join()
    throw error
  }
}

export const revoke = (): Promise<string> =>
  client.revokeDelegation({
    owner: account,
    sender: createWalletClient({ account, chain: base, transport: http() }),
    chainId: 8453
  })
// @ts-expect-error amounts are bigint
client.quote({ owner: account.address, tokenIn: account.address, amountIn: 1, tokenOut: account.address, destChainId: 1 })
`

export const venuesMain = `
import { createSweepClient, type ReviewOptions } from "token-sweep"
import { readUniswapV2Call, type Routers, type SwapReader, VENUE_ROUTERS, venueRouters } from "token-sweep/venues"

const own: SwapReader = (target, calldata) => (calldata === "0x" ? undefined : readUniswapV2Call(target, calldata))
const routers: Routers = { ...VENUE_ROUTERS[8453], "0x4200000000000000000000000000000000000006": own }
export const all: ReviewOptions = { routers: venueRouters({ trustAggregators: true }) }
export const client = createSweepClient({
  orchestratorUrl: "https://sweep.test",
  review: { routers: { ...VENUE_ROUTERS, 8453: routers, 99: "0x4200000000000000000000000000000000000006" } }
})
`

export const effectMain = `
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { SweepApi } from "token-sweep/effect"

export const program = Effect.gen(function* () {
  const sweeps = yield* SweepApi
  return yield* sweeps.api.system.liveness()
}).pipe(Effect.provide(SweepApi.layer({ orchestratorUrl: "https://sweep.test" })), Effect.provide(FetchHttpClient.layer))
`

export const reactMain = `
import { useMemo } from "react"
import { createSweepClient, type BatchReview, type SweepSigner } from "token-sweep"
import { type SweepState, SweepWidget, type SweepWidgetProps, usePortfolio, useSweep } from "token-sweep/react"
import "token-sweep/react/styles.css"

const review: SweepWidgetProps["review"] = { delegates: {}, maxFeeBps: 200 }
const labelOf = (state: SweepState): string => (state.step === "review" ? String(state.review.legs.length) : state.step)

export const Page = ({ signer }: { readonly signer: SweepSigner }) => {
  const client = useMemo(() => createSweepClient({ orchestratorUrl: "https://sweep.test" }), [])
  const { portfolio, reload } = usePortfolio(client, signer.address)
  const { confirm, start, state } = useSweep(client)
  const begin = () => start({ request: { owner: signer.address, token: signer.address, to: { chainId: 8453 } }, signer })
  const sign = (chosen: BatchReview) => confirm(chosen)
  return (
    <main>
      <button onClick={begin}>{labelOf(state)}</button>
      {state.step === "review" && <button onClick={() => sign(state.review)}>Sign</button>}
      <button onClick={reload}>{portfolio?.tokens.map(({ symbol }) => symbol).join()}</button>
      <SweepWidget orchestratorUrl="https://sweep.test" review={review} onDelivered={({ id }) => console.log(id)} />
      {/* @ts-expect-error the widget needs a service */}
      <SweepWidget />
    </main>
  )
}
`

export const rendering = `
import { createElement } from "react"
import { renderToString } from "react-dom/server"
import { createSweepClient } from "token-sweep"
import { SweepWidget, usePortfolio, useSweep } from "token-sweep/react"

const orchestratorUrl = "http://127.0.0.1:1"
const client = createSweepClient({ orchestratorUrl })
const Own = () => {
  const { isLoading } = usePortfolio(client, "0x0000000000000000000000000000000000000001")
  return createElement("p", null, (isLoading ? "loading " : "loaded ") + useSweep(client).state.step)
}
const account = { address: "0x0000000000000000000000000000000000000001" }
console.log(renderToString(createElement("div", null, createElement(Own), createElement(SweepWidget, {
  orchestratorUrl, signer: account
}))))
`
