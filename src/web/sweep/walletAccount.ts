/**
 * An account of a browser wallet (EIP-1193). No standard defines the signing of an EIP-7702 authorization, and most wallets
 * deliberately reject it. Wallets that support it use `eth_signAuthorization`.
 */
import { getAddress, toHex } from "viem"
import type { Address, AuthorizationSignature, Hex, NodeCall, NodeClient, RevocationSender } from "../../sdk/index.ts"
import { fromProvider } from "../../sdk/sign/Signer.ts"
import type { Wallet, WalletProvider } from "../wallet/provider.ts"
import * as Signing from "../wallet/signing.ts"
import { isUnknownMethod, WalletFailed } from "../wallet/walletErrors.ts"
import type { ChainSwitch, SweepAccount } from "./account.ts"

const METHOD = "eth_signAuthorization"

const PROBE_MILLIS = 2_000

/**
 * True if the wallet may sign authorizations. Calls the method without parameters: a wallet that supports it rejects the
 * parameters, and another one rejects the method. A wallet that does not answer may support it.
 */
const canAuthorize = async (provider: WalletProvider): Promise<boolean> => {
  const patience = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), PROBE_MILLIS))
  const answer = provider.request({ method: METHOD, params: [] }).then(
    () => true,
    (error: unknown) => !isUnknownMethod(error)
  )
  return Promise.race([answer, patience])
}

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value)

/** 65 bytes as hex digits, with `0x`. */
const SIGNATURE_LENGTH = 132

/** A signature of 65 bytes or in parts. The client checks its signer. */
const readSignature = (answer: unknown): AuthorizationSignature => {
  if (isHex(answer) && answer.length === SIGNATURE_LENGTH) {
    const digits = answer.slice(2)
    return { r: `0x${digits.slice(0, 64)}`, s: `0x${digits.slice(64, 128)}`, v: Number(`0x${digits.slice(128)}`) }
  }
  if (
    typeof answer === "object" &&
    answer !== null &&
    "r" in answer &&
    "s" in answer &&
    isHex(answer.r) &&
    isHex(answer.s)
  ) {
    const parity: unknown = "yParity" in answer ? answer.yParity : "v" in answer ? answer.v : undefined
    return { r: answer.r, s: answer.s, ...(parity === undefined ? {} : { v: Number(parity) }) }
  }
  throw new WalletFailed("it gave no signature")
}

const chainOf = (provider: WalletProvider): ChainSwitch => ({
  current: () => Signing.chainId(provider),
  switchTo: async (chainId) => {
    await Signing.ask(provider, "wallet_switchEthereumChain", [{ chainId: toHex(chainId) }])
  },
  watch: (listener) => {
    const heard = (value: unknown) => listener(Number(value))
    provider.on?.("chainChanged", heard)
    return () => provider.removeListener?.("chainChanged", heard)
  }
})

/** Fails if the wallet is on another chain. Its user may switch it at any time. */
const checkChain = async (provider: WalletProvider, chainId: number): Promise<void> => {
  const current = await Signing.chainId(provider)
  if (current !== chainId) throw new WalletFailed(`it is on chain ${current}, not on chain ${chainId}`)
}

/** A wallet answers requests for its current chain, so the chain is read before an answer counts. */
const nodeOf = (provider: WalletProvider, chainId: number): NodeClient => ({
  request: async (call: NodeCall) => {
    const answer = await provider.request(call)
    await checkChain(provider, chainId)
    return answer
  }
})

const senderOf = (provider: WalletProvider, address: Address, chainId: number): RevocationSender => ({
  account: { address },
  sendTransaction: async ({ authorizationList, to }) => {
    await checkChain(provider, chainId)
    const list = authorizationList.map(({ address, nonce, r, s, yParity, ...authorization }) => ({
      address,
      chainId: toHex(authorization.chainId),
      nonce: toHex(nonce),
      yParity: toHex(yParity),
      r,
      s
    }))
    const hash = await Signing.ask(provider, "eth_sendTransaction", [
      { chainId: toHex(chainId), from: address, to, value: "0x0", type: "0x4", authorizationList: list }
    ])
    if (!isHex(hash)) throw new WalletFailed("it gave no transaction hash")
    return hash
  }
})

/** The wallet's account, after its capabilities are known. */
export const walletAccount = async ({ info, provider }: Wallet, shared: Address): Promise<SweepAccount> => {
  const address = getAddress(shared)
  return {
    kind: "wallet",
    name: info.name,
    icon: info.icon,
    address,
    canAuthorize: await canAuthorize(provider),
    signer: fromProvider({
      address,
      provider,
      signAuthorization: async ({ address: delegate, chainId, nonce }) =>
        readSignature(
          await Signing.ask(provider, METHOD, [
            { from: address, address: delegate, chainId: toHex(chainId), nonce: toHex(nonce) }
          ])
        )
    }),
    chain: chainOf(provider),
    node: (chainId, current) => (chainId === current ? nodeOf(provider, chainId) : undefined),
    sender: (chainId) => senderOf(provider, address, chainId)
  }
}

/** The account of a wallet that its user lets the page have. */
export const connect = async (wallet: Wallet): Promise<SweepAccount> =>
  walletAccount(wallet, await Signing.connect(wallet.provider))
