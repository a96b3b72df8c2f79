/** A browser wallet for tests: announced by EIP-6963, with keys that the test holds. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { hexToString, isHex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"

export interface TestWallet {
  /** What the wallet was asked to sign, in the order of asking. */
  readonly shown: Array<string>
  /** What the next requests for a signature get: a signature, or the person's refusal. */
  isWilling: boolean
  /** Moves the wallet to another account, as a person would in the wallet. */
  readonly use: (account: PrivateKeyAccount) => Effect.Effect<void>
}

/** What the page's wallet asks the test, and what it gets. */
type Reply = { readonly result: unknown } | { readonly code: number; readonly message: string }

/** The wallet's part in the page. It is told by the test what to answer. */
const inPage = () => {
  const listeners = new Set<(accounts: unknown) => void>()
  const ask: unknown = Reflect.get(window, "askTestWallet")
  const provider = {
    request: async ({ method, params = [] }: { method: string; params?: ReadonlyArray<unknown> }) => {
      if (typeof ask !== "function") throw new Error("no test wallet")
      const reply: Reply = await ask(method, params)
      if ("result" in reply) return reply.result
      throw Object.assign(new Error(reply.message), { code: reply.code })
    },
    on: (event: string, listener: (accounts: unknown) => void) => {
      if (event === "accountsChanged") listeners.add(listener)
    },
    removeListener: (_event: string, listener: (accounts: unknown) => void) => listeners.delete(listener)
  }
  const icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23f6851b'/%3E%3C/svg%3E"
  const detail = Object.freeze({
    info: { uuid: "9f0d4f0c-7b0a-4a80-8f8e-9d5a3a1b2c3d", name: "Test Wallet", icon, rdns: "com.example.wallet" },
    provider
  })
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
  addEventListener("eip6963:requestProvider", announce)
  addEventListener("test:accounts", (event) => {
    if (event instanceof CustomEvent) for (const listener of listeners) listener(event.detail)
  })
  announce()
}

/** Gives the page a wallet with this account. Before the page is opened. */
export const install = Effect.fnUntraced(function* (page: Page, first: PrivateKeyAccount, chainId = 8453) {
  let account = first
  const wallet: TestWallet = {
    shown: [],
    isWilling: true,
    use: (next) =>
      Effect.promise(() => {
        account = next
        return page.evaluate(
          (accounts) => void dispatchEvent(new CustomEvent("test:accounts", { detail: accounts })),
          [next.address]
        )
      })
  }
  const answer = async (method: string, [message]: ReadonlyArray<unknown>): Promise<Reply> => {
    switch (method) {
      case "eth_accounts":
      case "eth_requestAccounts":
        return { result: [account.address.toLowerCase()] }
      case "eth_chainId":
        return { result: `0x${chainId.toString(16)}` }
      case "personal_sign": {
        if (!isHex(message)) return { code: -32602, message: "the message is not hex" }
        wallet.shown.push(hexToString(message))
        return wallet.isWilling
          ? { result: await account.signMessage({ message: { raw: message } }) }
          : { code: 4001, message: "User rejected the request." }
      }
      default:
        return { code: 4200, message: `the test wallet does not know ${method}` }
    }
  }
  yield* Effect.promise(() => page.exposeFunction("askTestWallet", answer))
  yield* Effect.promise(() => page.addInitScript(inPage))
  return wallet
})
