/** What an account runs by EIP-7702, and how its owner takes that back. */
import { getAddress, zeroAddress } from "viem"
import { sameAddress } from "./address.ts"
import { NodeError, UsageError } from "./errors.ts"
import { signAuthorization } from "./sign.ts"
import type { SweepSigner } from "./signer.ts"
import type { Address, Authorization, Hex, RequestOptions } from "./types.ts"

/** A node of a chain: its URL, or anything with EIP-1193's `request`, such as a viem public client or a wallet's provider. */
export type Node = string | NodeClient

export interface NodeClient {
  readonly request: (call: NodeCall) => Promise<unknown>
}

/** The calls that are made of a node. */
export type NodeCall =
  | { readonly method: "eth_getCode"; readonly params: [Address, "latest"] }
  | { readonly method: "eth_getTransactionCount"; readonly params: [Address, "pending"] }
  | { readonly method: "eth_getTransactionReceipt"; readonly params: [Hex] }

/** What an account runs. */
export type Delegation =
  /** An ordinary account. */
  | { readonly kind: "none" }
  /** Delegated by EIP-7702. */
  | { readonly kind: "delegated"; readonly delegate: Address }
  /** A contract, which cannot be swept. */
  | { readonly kind: "contract" }

/**
 * Sends the transaction that takes a delegation back, and pays its gas. A viem wallet client with an account and a chain is one
 * as it is. It may be the owner, who then needs gas, or anybody else.
 */
export interface RevocationSender {
  readonly account: { readonly address: Address }
  readonly sendTransaction: (transaction: {
    readonly to: Address
    readonly authorizationList: ReadonlyArray<Authorization>
  }) => Promise<Hex>
}

export interface RevokeOptions extends RequestOptions {
  readonly owner: SweepSigner
  readonly sender: RevocationSender
  readonly chainId: number
  /** The client's node of the chain unless told. */
  readonly node?: Node
  /** How long to wait for the transaction; 2 minutes unless told. */
  readonly timeoutMillis?: number
}

const DEFAULT_TIMEOUT_MILLIS = 120_000
const RECEIPT_POLL_MILLIS = 1_000

/** 0xef0100 ‖ address (EIP-7702). */
const DESIGNATOR = /^0xef0100([0-9a-f]{40})$/i

const overHttp = (url: string, fetch: (url: string, init: RequestInit) => Promise<Response>): NodeClient => ({
  request: async (call) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call })
    })
    const answer: unknown = await response.json()
    if (typeof answer !== "object" || answer === null || !("result" in answer)) {
      throw new TypeError(`the node answered ${JSON.stringify(answer)}`)
    }
    return answer.result
  }
})

const ask = async (node: NodeClient, call: NodeCall): Promise<unknown> => {
  try {
    return await node.request(call)
  } catch (cause) {
    throw new NodeError(`the node did not answer ${call.method}`, cause)
  }
}

/** The node's client. */
export const nodeClient = (
  node: Node | undefined,
  chainId: number,
  fetch: (url: string, init: RequestInit) => Promise<Response>
): NodeClient => {
  if (node === undefined) {
    throw new UsageError(`no node of chain ${chainId}: pass \`node\`, or name one in the client's \`nodes\``)
  }
  return typeof node === "string" ? overHttp(node, fetch) : node
}

/** What the account runs in the latest block. */
export const delegation = async (node: NodeClient, account: Address): Promise<Delegation> => {
  const code = await ask(node, { method: "eth_getCode", params: [account, "latest"] })
  if (typeof code !== "string") throw new NodeError("the node returned no code")
  if (code === "0x") return { kind: "none" }
  const delegate = DESIGNATOR.exec(code)?.[1]
  return delegate === undefined ? { kind: "contract" } : { kind: "delegated", delegate: getAddress(`0x${delegate}`) }
}

const accountNonce = async (node: NodeClient, account: Address): Promise<number> => {
  const nonce = Number(await ask(node, { method: "eth_getTransactionCount", params: [account, "pending"] }))
  if (!Number.isSafeInteger(nonce)) throw new NodeError("the node returned no transaction count")
  return nonce
}

const included = async (node: NodeClient, hash: Hex, { signal, timeoutMillis }: RevokeOptions): Promise<void> => {
  const patience = AbortSignal.timeout(timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS)
  while ((await ask(node, { method: "eth_getTransactionReceipt", params: [hash] })) === null) {
    signal?.throwIfAborted()
    if (patience.aborted) throw new NodeError(`transaction ${hash} is in no block yet`)
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MILLIS))
  }
}

/**
 * Takes the account's delegation back: an authorization for the zero address (EIP-7702), in a transaction of the sender's.
 * Resolves with its hash once the account runs nothing any more.
 */
export const revokeDelegation = async (node: NodeClient, options: RevokeOptions): Promise<Hex> => {
  const { chainId, owner, sender } = options
  const next = await accountNonce(node, owner.address)
  // A transaction counts its sender's nonce up before its authorizations are looked at.
  const nonce = sameAddress(sender.account.address, owner.address) ? next + 1 : next
  const authorization = await signAuthorization(owner, { address: zeroAddress, chainId, nonce })
  const hash = await sender
    .sendTransaction({ to: owner.address, authorizationList: [authorization] })
    .catch((cause: unknown) => {
      throw new NodeError("the sender did not send the revocation", cause)
    })
  await included(node, hash, options)
  const left = await delegation(node, owner.address)
  if (left.kind !== "none") {
    throw new NodeError(`transaction ${hash} changed nothing: the account was used meanwhile; try again`)
  }
  return hash
}
