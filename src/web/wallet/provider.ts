/** Browser wallets, discovered by EIP-6963 and used by EIP-1193. */
import { useSyncExternalStore } from "react"
import { type Address, isAddress } from "../../sdk/model/Address.ts"
import { local } from "../lib/storage.ts"

/** A provider of EIP-1193. */
export interface WalletProvider {
  readonly request: (request: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) => Promise<unknown>
  readonly on?: (event: string, listener: (value: unknown) => void) => unknown
  readonly removeListener?: (event: string, listener: (value: unknown) => void) => unknown
}

/** Wallet info of EIP-6963. `rdns` is a stable name, and `icon` is a data URI. */
export interface WalletInfo {
  readonly uuid: string
  readonly name: string
  readonly icon: string
  readonly rdns: string
}

export interface Wallet {
  readonly info: WalletInfo
  readonly provider: WalletProvider
}

const isWallet = (value: unknown): value is Wallet =>
  typeof value === "object" &&
  value !== null &&
  "info" in value &&
  "provider" in value &&
  typeof value.info === "object" &&
  value.info !== null &&
  "uuid" in value.info &&
  "name" in value.info &&
  "rdns" in value.info

let found: ReadonlyArray<Wallet> = []
let isListening = false
const listeners = new Set<() => void>()

/** Asks wallets to announce themselves, once. A wallet that loads later announces itself too. */
export const discover = (): void => {
  if (isListening) return
  isListening = true
  addEventListener("eip6963:announceProvider", (event) => {
    const wallet: unknown = event instanceof CustomEvent ? event.detail : undefined
    if (!isWallet(wallet) || found.some(({ info }) => info.uuid === wallet.info.uuid)) return
    found = [...found, wallet]
    for (const listener of listeners) listener()
  })
  dispatchEvent(new Event("eip6963:requestProvider"))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A page that is rendered on a server finds the wallets once it is in a browser. */
const NO_WALLETS: ReadonlyArray<Wallet> = []

/** All announced wallets. */
export const useWallets = (): ReadonlyArray<Wallet> =>
  useSyncExternalStore(
    subscribe,
    () => found,
    () => NO_WALLETS
  )

const LAST_USED = "sweep-wallet"

/** Stores the wallet of the sign-in, to notice when its account changes. */
export const remember = (wallet: Wallet): void => local.set(LAST_USED, wallet.info.rdns)

/** True if somebody signed in with a wallet here before. */
export const isRemembered = (): boolean => local.get(LAST_USED) !== null

export const lastUsed = (wallets: ReadonlyArray<Wallet>): Wallet | undefined => {
  const rdns = local.get(LAST_USED)
  return wallets.find(({ info }) => info.rdns === rdns)
}

/** The first account of a wallet's list, in the case in which the wallet writes it. */
export const firstAccount = (accounts: unknown): Address | undefined => {
  const [first]: ReadonlyArray<unknown> = Array.isArray(accounts) ? accounts : []
  return isAddress(first) ? first : undefined
}
