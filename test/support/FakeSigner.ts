/** The JSON-RPC interface of a remote signer, as Web3Signer answers `eth_signTransaction` and `eth_signTypedData`. */
import { Signature, Transaction, TypedDataEncoder, Wallet } from "ethers"
import type { Hex } from "../../src/domain/Hex.ts"
import type { Answer, Seen } from "./StubServer.ts"

interface Authorization {
  readonly address: string
  readonly chainId: string
  readonly nonce: string
  readonly yParity: string
  readonly r: string
  readonly s: string
}

export interface Asked {
  readonly from: string
  readonly to: string
  readonly type: string
  readonly chainId: string
  readonly nonce: string
  readonly gas: string
  readonly maxFeePerGas: string
  readonly maxPriorityFeePerGas: string
  readonly value: string
  readonly data: string
  readonly authorizationList?: ReadonlyArray<Authorization>
}

const transactionOf = (asked: Asked): Transaction => {
  const list = asked.authorizationList?.map(({ address, chainId, nonce, r, s, yParity }) => ({
    address,
    chainId: BigInt(chainId),
    nonce: BigInt(nonce),
    signature: Signature.from({ r, s, yParity: Number(yParity) === 1 ? 1 : 0 })
  }))
  return Transaction.from({
    type: Number(asked.type),
    chainId: BigInt(asked.chainId),
    nonce: Number(asked.nonce),
    to: asked.to,
    gasLimit: BigInt(asked.gas),
    maxFeePerGas: BigInt(asked.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(asked.maxPriorityFeePerGas),
    value: BigInt(asked.value),
    data: asked.data,
    ...(list === undefined ? {} : { authorizationList: list })
  })
}

/** Signs with the key what it is asked for, after `change`. */
export const signed = (
  key: Hex,
  asked: Asked,
  change: (transaction: Transaction) => void = () => undefined
): string => {
  const transaction = transactionOf(asked)
  change(transaction)
  transaction.signature = new Wallet(key).signingKey.sign(transaction.unsignedHash)
  return transaction.serialized
}

/** The asked transaction of a request. */
export const askedIn = ({ body }: Seen): Asked => (JSON.parse(body) as { readonly params: readonly [Asked] }).params[0]

const result = (id: unknown, value: unknown): Answer => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: { jsonrpc: "2.0", id, result: value }
})

/** A signer with one key. An unknown account or method is an error with a text that must not be logged. */
export const signer =
  (key: Hex, change?: (transaction: Transaction) => void) =>
  (seen: Seen): Answer => {
    const { id, method, params } = JSON.parse(seen.body) as {
      readonly id: unknown
      readonly method: string
      readonly params: ReadonlyArray<unknown>
    }
    const wallet = new Wallet(key)
    const refused: Answer = {
      status: 200,
      body: { jsonrpc: "2.0", id, error: { code: -32000, message: "Signing from account is not available 5ec4e7" } }
    }
    if (method === "eth_signTransaction") {
      const asked = params[0] as Asked
      return asked.from === wallet.address ? result(id, signed(key, asked, change)) : refused
    }
    if (method === "eth_signTypedData") {
      const { domain, message, primaryType, types } = params[1] as {
        readonly domain: Record<string, unknown>
        readonly message: Record<string, unknown>
        readonly primaryType: string
        readonly types: Record<string, Array<{ name: string; type: string }>>
      }
      const { EIP712Domain: _domain, ...own } = types
      const encoder = TypedDataEncoder.from(own)
      const digest = TypedDataEncoder.hash(domain, own, message)
      return params[0] === wallet.address && encoder.primaryType === primaryType
        ? result(id, wallet.signingKey.sign(digest).serialized)
        : refused
    }
    return refused
  }
