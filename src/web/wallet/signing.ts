/** What the dashboard asks of a wallet: an account, its chain, and a signature of a text that was shown before. */
import { stringToHex } from "viem"
import { createSiweMessage } from "viem/siwe"
import type { Address } from "../../domain/Address.ts"
import { firstAccount, type WalletProvider } from "./provider.ts"

/** The person said no in the wallet (EIP-1193, code 4001). */
export class WalletRejected extends Error {
  override readonly name = "WalletRejected"
}

/** The wallet did not do what it was asked, for whatever reason of its own. */
export class WalletFailed extends Error {
  override readonly name = "WalletFailed"
}

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** What wallets say of a method that they do not have (JSON-RPC, EIP-1474, EIP-1193). */
const UNKNOWN_METHOD = [-32601, -32004, 4200]

/** Whether a wallet says that it does not have the method; some say so in words alone. */
export const isUnknownMethod = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  (("code" in error && UNKNOWN_METHOD.some((code) => code === error.code)) ||
    (error instanceof Error &&
      /method.*(?:not|n't).*(?:support|exist|found|available|know)|unsupported|unknown method/i.test(error.message)))

/** Asks the wallet, and tells the person's refusal from the wallet's. */
export const ask = async (
  provider: WalletProvider,
  method: string,
  params: ReadonlyArray<unknown> = []
): Promise<unknown> => {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    if (codeOf(error) === 4001) throw new WalletRejected("rejected in the wallet", { cause: error })
    const detail = error instanceof Error ? error.message : "no reason given"
    throw new WalletFailed(detail, { cause: error })
  }
}

/** Asks to be connected; the wallet asks the person. */
export const connect = async (provider: WalletProvider): Promise<Address> => {
  const account = firstAccount(await ask(provider, "eth_requestAccounts"))
  if (account === undefined) throw new WalletFailed("the wallet shared no account")
  return account
}

/** The chain that the wallet is on. */
export const chainId = async (provider: WalletProvider): Promise<number> => Number(await ask(provider, "eth_chainId"))

export interface SignInText {
  readonly address: Address
  readonly chainId: number
  readonly nonce: string
  readonly statement: string
  readonly issuedAtMs: number
}

/** An EIP-4361 message from this page's origin. */
export const signInMessage = ({ address, chainId, issuedAtMs, nonce, statement }: SignInText): string =>
  createSiweMessage({
    address,
    chainId,
    domain: location.host,
    issuedAt: new Date(issuedAtMs),
    nonce,
    statement,
    uri: location.origin,
    version: "1"
  })

/** The wallet's signature of a text (EIP-191, `personal_sign`). */
export const sign = async (provider: WalletProvider, account: Address, message: string): Promise<string> => {
  const signature = await ask(provider, "personal_sign", [stringToHex(message), account])
  if (typeof signature !== "string") throw new WalletFailed("the wallet gave no signature")
  return signature
}
