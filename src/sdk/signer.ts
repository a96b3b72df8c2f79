/** What the client needs of a wallet. */
import { toJson, type OrderTypedData } from "./typedData.ts"
import type { Address, AuthorizationRequest, Hex } from "./types.ts"

/** The signature's parts, as wallet libraries return them: parity as `yParity`, as `v`, or not at all. */
export interface AuthorizationSignature {
  readonly r: Hex
  readonly s: Hex
  readonly yParity?: number | undefined
  /** 27 or 28, or 0 or 1. */
  readonly v?: bigint | number | undefined
}

/**
 * The account that is swept. viem's local accounts (`privateKeyToAccount`, `mnemonicToAccount`, and the accounts that custody
 * providers make for viem, such as Turnkey's) are one as they are. For others write the two functions:
 *
 * ```ts
 * // A wallet with an EIP-1193 provider and a function of its own for EIP-7702, such as Privy's embedded one.
 * const signer = fromProvider({ address, provider, signAuthorization: ({ address: contractAddress, chainId, nonce }) =>
 *   wallet.signAuthorization({ contractAddress, chainId, nonce }) })
 *
 * // ethers
 * const signer: SweepSigner = {
 *   address: wallet.address as `0x${string}`,
 *   signTypedData: async ({ domain, types, message }) => (await wallet.signTypedData(domain, types, message)) as `0x${string}`,
 *   signAuthorization: async (request) => (await wallet.authorize(request)).signature
 * }
 * ```
 *
 * Whatever comes back is checked before it is sent: the signer must be the owner, of exactly what was asked for. A wallet that
 * cannot sign EIP-7702 authorizations, as most injected ones for now, cannot be used.
 */
export interface SweepSigner {
  readonly address: Address
  readonly signTypedData: (typedData: OrderTypedData) => Promise<Hex>
  readonly signAuthorization: (authorization: AuthorizationRequest) => Promise<AuthorizationSignature>
}

/** The part of an EIP-1193 provider that is used. */
export interface Provider {
  readonly request: (call: { readonly method: string; readonly params: [Address, string] }) => Promise<unknown>
}

const isHex = (value: unknown): value is Hex => typeof value === "string" && value.startsWith("0x")

/** A signer from an EIP-1193 provider, which signs the order by `eth_signTypedData_v4`, and a way to sign authorizations. */
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
