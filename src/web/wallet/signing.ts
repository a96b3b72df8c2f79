/** Requests of the dashboard to a wallet: account, chain, and signature of a text that was shown before. */
import { getAddress, stringToHex } from "viem"
import { createSiweMessage } from "viem/siwe"
import type { Address } from "../../sdk/model/Address.ts"
import { firstAccount, type WalletProvider } from "./provider.ts"
import { codeOf, WalletFailed, WalletRejected } from "./walletErrors.ts"

/** Sends a request to the wallet, and distinguishes the user's rejection from a failure. */
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

/** Asks for access to the account, checksummed. The wallet asks the user. */
export const connect = async (provider: WalletProvider): Promise<Address> => {
  const account = firstAccount(await ask(provider, "eth_requestAccounts"))
  if (account === undefined) throw new WalletFailed("the wallet shared no account")
  return getAddress(account)
}

/** The wallet's current chain. */
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
