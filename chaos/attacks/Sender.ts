/** Signs and sends the transactions of an attacker's accounts, without waiting for blocks. */
import { type Hex, parseGwei, type PrivateKeyAccount, type SignedAuthorization } from "viem"
import type { DevChain } from "../../src/devnet/DevChain.ts"

export interface Call {
  /** Absent: deploys `data`. */
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  /** Gas limit. Default: estimated. */
  readonly gas?: bigint
  /** Priority fee in wei per gas. Default: 1 gwei. */
  readonly tip?: bigint
}

/** Above every base fee of a run. */
const FEE_CAP = parseGwei("2000")

/** Gas limit of a deployment. */
const DEPLOYMENT_GAS = 6_000_000n

/** Gas of one authorization of an account that exists or not (EIP-7702). */
const AUTHORIZATION_GAS = 25_000n

/** A transaction to sign. */
export const transaction = (chainId: number, nonce: number, { data, gas, tip, to, value }: Call) =>
  ({
    type: "eip1559",
    chainId,
    nonce,
    gas: gas ?? DEPLOYMENT_GAS,
    maxFeePerGas: FEE_CAP,
    maxPriorityFeePerGas: tip ?? parseGwei("1"),
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(value === undefined ? {} : { value })
  }) as const

/** `account` sends where no other sender is given. */
export const make = ({ chain, node }: DevChain, account: PrivateKeyAccount) => {
  const nonces = new Map<Hex, number>()

  /** Nonces are counted here, since nodes differ in what they call pending. */
  const nextNonce = async (from: PrivateKeyAccount): Promise<number> => {
    const first = nonces.get(from.address) ?? (await node.client.getTransactionCount({ address: from.address }))
    // Others may have taken nonces meanwhile.
    const nonce = nonces.get(from.address) ?? first
    nonces.set(from.address, nonce + 1)
    return nonce
  }

  /** Sends without waiting for a block. */
  const send = async (call: Call, from: PrivateKeyAccount = account): Promise<Hex> => {
    const raw = await from.signTransaction(transaction(chain.id, await nextNonce(from), call))
    return node.client.sendRawTransaction({ serializedTransaction: raw })
  }

  /** Sends a transaction that only carries authorizations (EIP-7702). */
  const authorize = async (authorizations: ReadonlyArray<SignedAuthorization>, tip: bigint): Promise<Hex> => {
    const raw = await account.signTransaction({
      type: "eip7702",
      chainId: chain.id,
      nonce: await nextNonce(account),
      to: account.address,
      gas: 21_000n + AUTHORIZATION_GAS * BigInt(authorizations.length),
      maxFeePerGas: FEE_CAP,
      maxPriorityFeePerGas: tip,
      authorizationList: [...authorizations]
    })
    return node.client.sendRawTransaction({ serializedTransaction: raw })
  }

  return { authorize, send }
}
