/** A browser wallet for tests: announced by EIP-6963, with keys that the test holds. */
import { Effect, Queue, Schema } from "effect"
import type { Page } from "playwright-core"
import { hexToString, http, isHex, type TypedDataDefinition } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"

export interface TestWallet {
  /** Messages that the wallet was asked to sign, in order. */
  readonly shown: Array<string>
  /** Methods of the signatures that it gave, in order. */
  readonly signed: Array<string>
  /** Methods of the requests that the person rejected, in order. To wait for one, since a page may show the same failure twice. */
  readonly rejected: Queue.Dequeue<string>
  /** If false, the person rejects the next requests for a signature. */
  isWilling: boolean
  /** If false, the person rejects the next authorizations. */
  isDelegating: boolean
  /** The wallet signs no sweep before this is settled. */
  pause: Promise<void> | undefined
  /** Moves the wallet to another account, as a person would in the wallet. */
  readonly use: (account: PrivateKeyAccount) => Effect.Effect<void>
}

export interface Options {
  /** Initial chain. Default: 8453. */
  readonly chainId?: number
  /** If true, the wallet signs EIP-7702 authorizations, which most wallets do not. Default: false. */
  readonly signsAuthorizations?: boolean
  /** If true, the wallet refuses typed data that names no chain. Default: false. */
  readonly needsChain?: boolean
  /** Nodes by chain: what the wallet does not know itself, it asks the one that it is on. */
  readonly nodes?: Readonly<Record<number, string>>
}

/** The test's reply to a request of the page's wallet. */
type Reply = { readonly result: unknown } | { readonly code: number; readonly message: string }

/** The wallet's part in the page. It is told by the test what to answer. */
const inPage = () => {
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const of = (event: string) => {
    const known = listeners.get(event) ?? new Set()
    listeners.set(event, known)
    return known
  }
  const ask: unknown = Reflect.get(window, "askTestWallet")
  const provider = {
    request: async ({ method, params = [] }: { method: string; params?: ReadonlyArray<unknown> }) => {
      if (typeof ask !== "function") throw new Error("no test wallet")
      const reply: Reply = await ask(method, params)
      if ("result" in reply) return reply.result
      throw Object.assign(new Error(reply.message), { code: reply.code })
    },
    on: (event: string, listener: (value: unknown) => void) => of(event).add(listener),
    removeListener: (event: string, listener: (value: unknown) => void) => of(event).delete(listener)
  }
  const icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23f6851b'/%3E%3C/svg%3E"
  const detail = Object.freeze({
    info: { uuid: "9f0d4f0c-7b0a-4a80-8f8e-9d5a3a1b2c3d", name: "Test Wallet", icon, rdns: "com.example.wallet" },
    provider
  })
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
  addEventListener("eip6963:requestProvider", announce)
  for (const event of ["accountsChanged", "chainChanged"]) {
    addEventListener(`test:${event}`, (told) => {
      if (told instanceof CustomEvent) for (const listener of of(event)) listener(told.detail)
    })
  }
  announce()
}

const say = (page: Page, event: "accountsChanged" | "chainChanged", detail: string | ReadonlyArray<string>) =>
  page.evaluate(([name, value]) => void dispatchEvent(new CustomEvent(`test:${name}`, { detail: value })), [
    event,
    detail
  ] as const)

const Chosen = Schema.Tuple([Schema.Struct({ chainId: Schema.String })])
const Authorization = Schema.Tuple([
  Schema.Struct({
    address: Schema.TemplateLiteral(["0x", Schema.String]),
    chainId: Schema.String,
    nonce: Schema.String
  })
])

/** Gives the page a wallet with this account. Before the page is opened. */
export const install = Effect.fnUntraced(function* (page: Page, first: PrivateKeyAccount, options: Options = {}) {
  let account = first
  const rejected = yield* Queue.unbounded<string>()
  let chainId = options.chainId ?? 8453
  const wallet: TestWallet = {
    shown: [],
    signed: [],
    rejected,
    isWilling: true,
    isDelegating: true,
    pause: undefined,
    use: (next) =>
      Effect.promise(() => {
        account = next
        return say(page, "accountsChanged", [next.address])
      })
  }
  const reject = (method: string): Reply => {
    Queue.offerUnsafe(rejected, method)
    return { code: 4001, message: "User rejected the request." }
  }
  const answer = async (method: string, params: ReadonlyArray<unknown>): Promise<Reply> => {
    const [message, text] = params
    switch (method) {
      case "eth_accounts":
      case "eth_requestAccounts":
        return { result: [account.address.toLowerCase()] }
      case "eth_chainId":
        return { result: `0x${chainId.toString(16)}` }
      case "personal_sign": {
        if (!isHex(message)) return { code: -32602, message: "the message is not hex" }
        wallet.shown.push(hexToString(message))
        return wallet.isWilling ? { result: await account.signMessage({ message: { raw: message } }) } : reject(method)
      }
      case "wallet_switchEthereumChain": {
        if (!wallet.isWilling) return reject(method)
        const [wanted] = Schema.decodeUnknownSync(Chosen)(params)
        chainId = Number(wanted.chainId)
        await say(page, "chainChanged", wanted.chainId)
        return { result: null }
      }
      case "eth_signTypedData_v4": {
        if (typeof text !== "string") return { code: -32602, message: "the typed data is no text" }
        const typedData: TypedDataDefinition = JSON.parse(text)
        const named = typedData.domain?.chainId
        // As wallets do, to keep a page from having an order of another chain signed unseen.
        if (named === undefined ? options.needsChain === true : Number(named) !== chainId) {
          return { code: -32602, message: "another chain is active" }
        }
        wallet.shown.push(text)
        await wallet.pause
        if (!wallet.isWilling) return reject(method)
        wallet.signed.push(method)
        return { result: await account.signTypedData(typedData) }
      }
      case "eth_signAuthorization": {
        if (options.signsAuthorizations !== true) break
        if (params.length === 0) return { code: -32602, message: "there is nothing to sign" }
        const [{ address, chainId, nonce }] = Schema.decodeUnknownSync(Authorization)(params)
        if (!wallet.isWilling || !wallet.isDelegating) return reject(method)
        wallet.signed.push(method)
        const signed = await account.signAuthorization({ address, chainId: Number(chainId), nonce: Number(nonce) })
        return { result: { r: signed.r, s: signed.s, yParity: `0x${signed.yParity}` } }
      }
      case "eth_getTransactionCount":
      case "eth_getCode": {
        const node = options.nodes?.[chainId]
        if (node !== undefined) return { result: await http(node)({}).request({ method, params }) }
      }
    }
    return { code: 4200, message: `the test wallet does not know ${method}` }
  }
  yield* Effect.promise(() => page.exposeFunction("askTestWallet", answer))
  yield* Effect.promise(() => page.addInitScript(inPage))
  return wallet
})
