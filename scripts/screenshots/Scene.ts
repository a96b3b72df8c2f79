/** The local network with a builder who earned from sweeps, and an owner who holds tokens on both chains. */
import { Effect } from "effect"
import { parseUnits } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import type { DevApp } from "../../src/apps/DevApp.ts"
import * as Address from "../../src/domain/Address.ts"
import { createSweepClient } from "../../src/sdk/index.ts"
import { tokenOf } from "../../test/support/SweepClient.ts"

type Symbol = Parameters<DevApp["network"]["chains"][number]["fund"]>[1]["token"]
type Held = Readonly<Partial<Record<Symbol, string>>>

const HELD: ReadonlyArray<Held> = [
  { DAI: "41.2", USDT: "18.75", WBTC: "0.0004", WETH: "0.012", ETH: "0.06" },
  { USDC: "36.4", DAI: "12.9", USDT: "27.3" }
]

/** Tokens of the sweeps that the builder earns from, each by an owner of its own on the first chain. */
const EARNING: ReadonlyArray<readonly [token: Symbol, amount: string]> = [
  ["DAI", "1250"],
  ["USDT", "840"],
  ["WETH", "0.9"],
  ["DAI", "320"]
]

const amountOf = (chain: DevApp["info"]["chains"][number], token: Symbol, amount: string) =>
  parseUnits(amount, tokenOf(chain, token).decimals)

const pair = ({ info, network }: DevApp, index: number) => {
  const [described, dev] = [info.chains[index], network.chains[index]]
  if (described === undefined || dev === undefined) throw new Error(`the local network has no chain ${index}`)
  return { info: described, dev }
}

/** A new account that holds tokens on both chains. */
export const owner = Effect.fnUntraced(function* (app: DevApp) {
  const account = privateKeyToAccount(generatePrivateKey())
  for (const [index, held] of HELD.entries()) {
    const { dev, info } = pair(app, index)
    for (const [symbol, amount] of Object.entries(held)) {
      const token = symbol as Symbol
      yield* dev.fund(Address.of(account.address), { token, amount: amountOf(info, token, amount) })
    }
  }
  return account
})

const json = async <A>(url: string, init: RequestInit = {}): Promise<{ readonly body: A; readonly cookie: string }> => {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status} ${text}`)
  return { body: JSON.parse(text), cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" }
}

const sent = (body: unknown, more: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...more }
})

/** A builder who signs up as its wallet does, with a markup. */
const signUp = async ({ info }: DevApp, account: PrivateKeyAccount) => {
  const { builderAdminToken, builderUrl, chains } = info
  const { body } = await json<{ nonce: string }>(`${builderUrl}/auth/nonce`)
  const message = createSiweMessage({
    address: account.address,
    domain: new URL(builderUrl).host,
    uri: builderUrl,
    version: "1",
    chainId: chains[0]?.id ?? 1,
    nonce: body.nonce,
    statement: "Sign up as a builder."
  })
  const signature = await account.signMessage({ message })
  const signed = await json<{ apiKey: string; builder: { id: string } }>(
    `${builderUrl}/builders/self`,
    sent({ message, signature, name: "Northwind Wallet" })
  )
  const { id } = signed.body.builder
  await json(`${builderUrl}/admin/builders/${id}`, {
    ...sent({ builderBps: 30, maxBuilderBps: 100 }, { authorization: `Bearer ${builderAdminToken}` }),
    method: "PATCH"
  })
  return { id, apiKey: signed.body.apiKey, cookie: signed.cookie, account }
}

/** Sweeps for the builder until all are delivered. Returns the id of the first sweep. */
const earn = Effect.fnUntraced(function* (app: DevApp, apiKey: string) {
  const { dev, info: chain } = pair(app, 0)
  const client = createSweepClient({
    orchestratorUrl: app.info.orchestratorUrl,
    apiKey,
    review: { delegates: { [chain.id]: chain.delegate }, routers: { [chain.id]: chain.swapRouter }, maxFeeBps: 1_000 }
  })
  const ids = yield* Effect.forEach(
    EARNING,
    Effect.fnUntraced(function* ([token, amount]) {
      const account = privateKeyToAccount(generatePrivateKey())
      const amountIn = amountOf(chain, token, amount)
      yield* dev.fund(Address.of(account.address), { token, amount: amountIn })
      const request = {
        owner: account.address,
        tokenIn: tokenOf(chain, token).address,
        amountIn,
        tokenOut: tokenOf(chain, "USDC").address,
        destChainId: chain.id,
        sourceChainId: chain.id
      }
      const result = yield* Effect.promise(() => client.sweep(request, account))
      return result?.intent.id
    })
  )
  return ids[0] ?? ""
})

/** The builder with earnings, and the id of a delivered sweep. */
export const builder = Effect.fnUntraced(function* (app: DevApp) {
  const account = privateKeyToAccount(generatePrivateKey())
  const signed = yield* Effect.promise(() => signUp(app, account))
  return { ...signed, sweepId: yield* earn(app, signed.apiKey) }
})

export type Builder = Effect.Success<ReturnType<typeof builder>>

/** Pauses or resumes sweeps on the second chain, as its operator does. */
export const setPaused = ({ info }: DevApp, isPaused: boolean) =>
  Effect.promise(() =>
    json(
      `${info.orchestratorUrl}/admin/pauses`,
      sent(
        {
          subject: { scope: "chain", chainId: info.chains[1]?.id },
          state: isPaused ? "paused" : "running",
          reason: isPaused ? "Its sequencer is down" : "It is back"
        },
        { authorization: `Bearer ${info.orchestratorAdminToken}` }
      )
    )
  )
