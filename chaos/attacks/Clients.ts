/** Clients of the service behind its proxy: each has an address of its own, and with it a rate limit of its own. */
import { type Hex, type PrivateKeyAccount } from "viem"
import * as SweepClient from "../../test/support/SweepClient.ts"
import { API_KEY } from "../Backend.ts"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"

/** Settings by which the run is the service's proxy, which writes the client's address. */
export const SETTINGS = { TRUSTED_PROXY_HOPS: "1", RATE_LIMIT: "100" }

/** Ends a request that hangs. */
const ANSWER_MILLIS = 30_000

/** Chain on which a client sweeps. */
export interface Site {
  readonly info: Pick<DevInfo["chains"][number], "id" | "name">
}

export interface Request {
  readonly owner: PrivateKeyAccount
  readonly tokenIn: Hex
  /** In the token's smallest unit. */
  readonly amountIn: bigint
  readonly tokenOut: Hex
  readonly destination?: Hex
  /** True if the sweep is attributed to the builder whose key everybody can read. Default: false. */
  readonly isAttributed?: boolean
}

export interface Signed {
  readonly id: string
  readonly owner: PrivateKeyAccount
  readonly signed: SweepClient.Signed
}

/** The answer's status; 0 without an answer. `text` tells the cause of a refusal. */
export interface Refusal {
  readonly status: number
  readonly text: string
}

export type Quoted = Signed | Refusal

export const isRefusal = (quoted: Quoted): quoted is Refusal => "status" in quoted

const ask = async (url: string, path: string, body: unknown, from: string): Promise<Response | undefined> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": from },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MILLIS)
  }).catch(() => undefined)

const refusal = async (response: Response | undefined): Promise<Refusal> => {
  if (response === undefined) return { status: 0, text: "no response" }
  const reason = response.headers.get("sweep-reason")
  return { status: response.status, text: reason ?? (await response.text()) }
}

/** A client at `from`, an IP address as the proxy writes it. */
export const make = (url: string, { info }: Site, from: string) => ({
  quote: async (request: Request): Promise<Quoted> => {
    const body = {
      owner: request.owner.address,
      tokenIn: request.tokenIn,
      amountIn: request.amountIn.toString(),
      tokenOut: request.tokenOut,
      destination: request.destination ?? request.owner.address,
      destChainId: info.id,
      tier: "tier1",
      route: `${info.name}->${info.name}`,
      subscriptionActive: false,
      userId: "test",
      ...(request.isAttributed === true ? { apiKey: API_KEY } : {})
    }
    const response = await ask(url, "/quote", body, from)
    if (response?.status !== 200) return refusal(response)
    const answer = JSON.parse(await response.text())
    const at = (path: string) => path.split(".").reduce((value, key) => value[key], answer)
    const signed = await SweepClient.sign(request.owner, {
      status: 200,
      headers: response.headers,
      text: "",
      at,
      string: (path) => String(at(path))
    })
    return { id: signed.quoteId, owner: request.owner, signed }
  },
  /** Undefined if the submission was accepted. */
  submit: async ({ signed }: Pick<Signed, "signed">): Promise<Refusal | undefined> => {
    const response = await ask(url, "/intents", signed, from)
    return response?.status === 201 ? undefined : refusal(response)
  }
})

export type Client = ReturnType<typeof make>
