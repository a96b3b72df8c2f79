/** The interface of a wallet to the client. */
import type { Address } from "../model/Address.ts"
import type { Hex } from "../model/Hex.ts"
import type { AuthorizationRequest } from "../model/Sweep.ts"
import { type SignableTypedData, toJson } from "../model/TypedData.ts"

/** Signature of an authorization. Wallet libraries return the parity as `yParity`, as `v`, or not at all. */
export interface AuthorizationSignature {
  readonly r: Hex
  readonly s: Hex
  readonly yParity?: number | undefined
  /** 27 or 28, or 0 or 1. */
  readonly v?: bigint | number | undefined
}

/**
 * The wallet of the account that is swept. viem's local accounts are signers (`privateKeyToAccount`, `mnemonicToAccount`, and
 * those of custody providers such as Turnkey). The client verifies every signature before it sends it.
 *
 * A wallet that cannot sign EIP-7702 authorizations cannot be used. Most injected wallets cannot yet.
 *
 * @example
 * // ethers
 * const signer: SweepSigner = {
 *   address: wallet.address as `0x${string}`,
 *   signTypedData: async ({ domain, types, message }) => (await wallet.signTypedData(domain, types, message)) as `0x${string}`,
 *   signAuthorization: async (request) => (await wallet.authorize(request)).signature
 * }
 */
export interface SweepSigner {
  readonly address: Address
  readonly signTypedData: (typedData: SignableTypedData) => Promise<Hex>
  readonly signAuthorization: (authorization: AuthorizationRequest) => Promise<AuthorizationSignature>
}

/** An EIP-1193 provider, as far as the client uses it. */
export interface Provider {
  readonly request: (call: { readonly method: string; readonly params: [Address, string] }) => Promise<unknown>
}

const isHex = (value: unknown): value is Hex => typeof value === "string" && value.startsWith("0x")

/**
 * Makes a signer from an EIP-1193 provider, which signs the order by `eth_signTypedData_v4`. EIP-1193 has no method for
 * authorizations, so the wallet's own function signs those.
 *
 * @example
 * const signer = fromProvider({
 *   address,
 *   provider: await wallet.getEthereumProvider(),
 *   signAuthorization: ({ address: contractAddress, chainId, nonce }) =>
 *     wallet.signAuthorization({ contractAddress, chainId, nonce })
 * })
 */
export const fromProvider = (wallet: {
  readonly address: Address
  readonly provider: Provider
  readonly signAuthorization: SweepSigner["signAuthorization"]
}): SweepSigner => ({
  address: wallet.address,
  signTypedData: async (typedData) => {
    const signature = await wallet.provider.request({
      method: "eth_signTypedData_v4",
      params: [wallet.address, toJson(typedData)]
    })
    if (!isHex(signature)) throw new TypeError("the provider returned no signature")
    return signature
  },
  signAuthorization: wallet.signAuthorization
})
