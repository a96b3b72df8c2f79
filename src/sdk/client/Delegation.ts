/** Reads and revokes the delegation of an account (EIP-7702). */
import { getAddress, zeroAddress } from "../core/Viem.ts"
import { type Address, sameAddress } from "../model/Address.ts"
import { NodeError, UsageError } from "../model/Errors.ts"
import type { Hex } from "../model/Hex.ts"
import type { Authorization } from "../model/Sweep.ts"
import type { SweepSigner } from "../sign/Signer.ts"
import { signAuthorization } from "../sign/Signing.ts"
import type { Fetch } from "./Http.ts"
import type { RequestOptions } from "./RequestOptions.ts"
import { anySignal, checkTimeout, sleep, timeoutSignal, until } from "./Sleep.ts"

/** A node of a chain: its URL, or an object with the `request` of EIP-1193, such as a viem public client. */
export type Node = string | NodeClient

export interface NodeClient {
  readonly request: (call: NodeCall) => Promise<unknown>
}

/** JSON-RPC calls that the client makes. */
export type NodeCall =
  | { readonly method: "eth_getCode"; readonly params: [Address, "latest"] }
  | { readonly method: "eth_getTransactionCount"; readonly params: [Address, "pending"] }
  | { readonly method: "eth_getTransactionReceipt"; readonly params: [Hex] }

/** Code of an account. */
export type Delegation =
  /** No code. */
  | { readonly kind: "none" }
  /** The account runs the delegate's code (EIP-7702). */
  | { readonly kind: "delegated"; readonly delegate: Address }
  /** The account is a contract and cannot be swept. */
  | { readonly kind: "contract" }

/**
 * Sends the transaction that revokes a delegation, and pays its gas. A viem wallet client with an account and a chain is a
 * sender. The sender may be the owner or any other account.
 */
export interface RevocationSender {
  readonly account: { readonly address: Address }
  readonly sendTransaction: (transaction: {
    readonly to: Address
    readonly authorizationList: ReadonlyArray<Authorization>
  }) => Promise<Hex>
}

export interface RevokeOptions extends RequestOptions {
  /** Wallet of the delegated account. */
  readonly owner: SweepSigner
  readonly sender: RevocationSender
  readonly chainId: number
  /** Node of the chain. Default: the client's. */
  readonly node?: Node
  /** Timeout for the transaction, in milliseconds. Default: 2 minutes. */
  readonly timeoutMillis?: number
}

const LOOK_PAUSE_MILLIS = 1_000

/** Time after the receipt in which a node may still answer with the code of an earlier block, in milliseconds. */
const CODE_MILLIS = 15_000

/** 0xef0100 ‖ address (EIP-7702). */
const DESIGNATOR = /^0xef0100([0-9a-f]{40})$/i

/** Time for the answer of a node, in milliseconds. */
const ANSWER_MILLIS = 30_000

const overHttp = (url: string, fetch: Fetch): NodeClient => ({
  request: async (call) => {
    const response = await fetch(url, {
      method: "POST",
      signal: AbortSignal.timeout(ANSWER_MILLIS),
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call })
    })
    const { error, result } = (await response.json()) as { readonly error?: unknown; readonly result?: unknown }
    if (result === undefined) throw new TypeError(JSON.stringify(error))
    return result
  }
})

/** Limits of a request to a node. */
interface AskOptions extends RequestOptions {
  /** Default: 30 seconds. */
  readonly timeoutMillis?: number | undefined
}

const ask = async (
  node: NodeClient,
  call: NodeCall,
  { signal, timeoutMillis = ANSWER_MILLIS }: AskOptions = {}
): Promise<unknown> => {
  signal?.throwIfAborted()
  const limit = anySignal(signal, timeoutSignal(timeoutMillis))
  try {
    return await until(limit, node.request(call))
  } catch (cause) {
    signal?.throwIfAborted()
    throw new NodeError(`the node did not answer ${call.method}`, cause)
  }
}

/**
 * Makes a client of a node.
 *
 * @throws {UsageError} if no node is given
 */
export const nodeClient = (node: Node | undefined, chainId: number, fetch: Fetch): NodeClient => {
  if (node === undefined) {
    throw new UsageError(`chain ${chainId} has no node: set \`nodes\` or \`node\``)
  }
  return typeof node === "string" ? overHttp(node, fetch) : node
}

/** Resolves with the code of an account in the latest block. */
export const delegation = async (node: NodeClient, account: Address, options?: AskOptions): Promise<Delegation> => {
  const code = await ask(node, { method: "eth_getCode", params: [account, "latest"] }, options)
  if (typeof code !== "string") throw new NodeError("the node returned no code")
  if (code === "0x") return { kind: "none" }
  const delegate = DESIGNATOR.exec(code)?.[1]
  return delegate === undefined ? { kind: "contract" } : { kind: "delegated", delegate: getAddress(`0x${delegate}`) }
}

/** Resolves with the account's next transaction nonce, pending transactions included. */
export const accountNonce = async (node: NodeClient, account: Address, options?: RequestOptions): Promise<number> => {
  const nonce = Number(await ask(node, { method: "eth_getTransactionCount", params: [account, "pending"] }, options))
  if (!Number.isSafeInteger(nonce)) throw new NodeError("the node returned no nonce")
  return nonce
}

/**
 * Looks for the result of a transaction until the deadline. A failed look counts as one that found nothing.
 *
 * @param unfound - end of the error message if the last look found nothing
 */
const lookUntil = async (
  hash: Hex,
  endsAt: number,
  signal: AbortSignal | undefined,
  unfound: string,
  look: (limits: AskOptions) => Promise<boolean>
): Promise<void> => {
  for (;;) {
    let failure: unknown
    try {
      // Each look has at least a second, since only its answer tells what the transaction did.
      const timeoutMillis = Math.min(Math.max(endsAt - Date.now(), LOOK_PAUSE_MILLIS), ANSWER_MILLIS)
      if (await look({ signal, timeoutMillis })) return
    } catch (error) {
      signal?.throwIfAborted()
      failure = error
    }
    const left = endsAt - Date.now()
    if (left <= 0) {
      const state = failure instanceof Error ? `was sent, its result is unknown: ${failure.message}` : unfound
      throw new NodeError(`transaction ${hash} ${state}`, failure)
    }
    await sleep(Math.min(left, LOOK_PAUSE_MILLIS), signal)
  }
}

/**
 * Revokes the delegation of an account by an authorization for the zero address (EIP-7702). Resolves with the transaction's hash
 * once the account has no code.
 *
 * @throws {NodeError} if a call fails before the transaction is sent, or the transaction is not mined at the timeout, or the account is still
 * delegated 15 seconds after its receipt or at the timeout. The message then has the transaction's hash
 * @throws {UsageError} if the timeout is negative or not a number
 * @throws {SigningError} if the owner's wallet does not sign
 */
export const revokeDelegation = async (node: NodeClient, options: RevokeOptions): Promise<Hex> => {
  const { chainId, owner, sender, signal, timeoutMillis = 120_000 } = options
  checkTimeout(timeoutMillis)
  const next = await accountNonce(node, owner.address, { signal })
  // A transaction increments its sender's nonce before its authorizations are processed (EIP-7702).
  const nonce = sameAddress(sender.account.address, owner.address) ? next + 1 : next
  const authorization = await signAuthorization(owner, { address: zeroAddress, chainId, nonce })
  const hash = await sender
    .sendTransaction({ to: owner.address, authorizationList: [authorization] })
    .catch((cause: unknown) => {
      throw new NodeError("the revocation is not sent", cause)
    })
  const endsAt = Date.now() + timeoutMillis
  await lookUntil(hash, endsAt, signal, "is not in a block yet", async (limits) => {
    const call: NodeCall = { method: "eth_getTransactionReceipt", params: [hash] }
    return (await ask(node, call, limits)) !== null
  })
  const unchanged = "had no effect: the nonce changed; try again"
  await lookUntil(
    hash,
    Math.min(endsAt, Date.now() + CODE_MILLIS),
    signal,
    unchanged,
    async (limits) => (await delegation(node, owner.address, limits)).kind === "none"
  )
  return hash
}
