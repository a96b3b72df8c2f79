/** Orders as their owners signed them, and the rules that settlements and batches must follow. Uses none of the service's code. */
import { hashTypedData, type Hex, type TypedDataDefinition } from "viem"

/** An order that an owner signed, alone or as a leg. Addresses are in lower case. */
export interface SignedOrder {
  /** Id of the intent. */
  readonly id: string
  readonly chainId: number
  /** Digest of the order alone, by which a `Swept` event names it. */
  readonly orderHash: Hex
  readonly owner: string
  readonly token: string
  readonly amountIn: bigint
  readonly feeAmount: bigint
  readonly builder: string
  readonly builderFee: bigint
  readonly tokenOut: string
  /** 0 if the order leaves the chain. */
  readonly minAmountOut: bigint
  readonly destination: string
  readonly destChainId: number
}

/** An order as the service returns it. */
export type ServedOrder = Readonly<Record<string, string>>

type Fields = TypedDataDefinition["types"][string]

/** Notes what the owner of an order signs. `members` are the fields of the EIP-712 type, and `name` that of the domain. */
export const signedOrder = (
  id: string,
  chainId: number,
  order: ServedOrder,
  { members, name, version }: { readonly members: Fields; readonly name: string; readonly version: string }
): SignedOrder => {
  const text = (field: string) => (order[field] ?? "").toLowerCase()
  const amount = (field: string) => BigInt(order[field] ?? 0)
  return {
    id,
    chainId,
    orderHash: hashTypedData({
      domain: { name, version, chainId, verifyingContract: order["owner"] as Hex },
      types: { SweepOrder: members },
      primaryType: "SweepOrder",
      message: order
    }),
    owner: text("owner"),
    token: text("tokenIn"),
    amountIn: amount("amountIn"),
    feeAmount: amount("feeAmount"),
    builder: text("builder"),
    builderFee: amount("builderFee"),
    tokenOut: text("tokenOut"),
    minAmountOut: amount("minAmountOut"),
    destination: text("destination"),
    destChainId: Number(order["destChainId"])
  }
}

/** A `Swept` event, and an intent in the database, as far as the rules compare them. */
type Settled = Omit<SignedOrder, "id" | "minAmountOut"> & { readonly amountOut: bigint }
interface Stored {
  readonly id: string
  readonly orderHash: Hex
  readonly status: string
}

/** Fields of an order that its event repeats. */
const REPEATED = [
  "chainId",
  "owner",
  "token",
  "amountIn",
  "feeAmount",
  "builder",
  "builderFee",
  "tokenOut",
  "destination",
  "destChainId"
] as const satisfies ReadonlyArray<keyof Settled>

/** Differences between settlements and the orders that were signed: each amount must be exact, and the output at least the minimum. */
export const inexact = (
  signed: ReadonlyArray<SignedOrder>,
  settlements: ReadonlyArray<Settled>
): ReadonlyArray<string> => {
  const orders = new Map(signed.map((order) => [order.orderHash.toLowerCase(), order]))
  return settlements.flatMap((event) => {
    const order = orders.get(event.orderHash.toLowerCase())
    if (order === undefined) return []
    return [
      ...REPEATED.filter((field) => String(event[field]).toLowerCase() !== String(order[field])).map(
        (field) => `${order.id} settled with ${field} ${event[field]}, and its owner signed ${order[field]}`
      ),
      ...(event.amountOut < order.minAmountOut
        ? [`${order.id} paid ${event.amountOut}, less than ${order.minAmountOut}`]
        : [])
    ]
  })
}

/** Intents that are not stored as they were signed. Their settlements would not be found. */
export const misread = (signed: ReadonlyArray<SignedOrder>, intents: ReadonlyArray<Stored>): ReadonlyArray<string> => {
  const hashes = new Map(intents.map(({ id, orderHash }) => [id, orderHash.toLowerCase()]))
  return signed.flatMap(({ id, orderHash }) => {
    const stored = hashes.get(id)
    return stored === undefined || stored === orderHash.toLowerCase()
      ? []
      : [`${id} is stored as ${stored}, and its owner signed ${orderHash}`]
  })
}

/** Batches of which only some legs were accepted. `batches` has the ids of each batch that was submitted. */
export const torn = (
  batches: ReadonlyArray<ReadonlyArray<string>>,
  intents: ReadonlyArray<Stored>
): ReadonlyArray<string> => {
  const statuses = new Map(intents.map(({ id, status }) => [id, status]))
  const isTaken = (id: string) => !["quoted", undefined].includes(statuses.get(id))
  return batches.flatMap((ids) => {
    const taken = ids.filter(isTaken)
    return taken.length === 0 || taken.length === ids.length
      ? []
      : [`of the batch ${ids.join(" ")} only ${taken.join(" ")} were accepted`]
  })
}

const WORD = 32
/** Words of an ABI-encoded order from its owner to its nonce. */
const NONCE_AT = 12 * WORD

const word = (value: bigint): string => value.toString(16).padStart(2 * WORD, "0")

/** True if a raw transaction carries an order of this owner with this nonce. */
export const carries = (raw: Hex, { nonce, owner }: { readonly nonce: bigint; readonly owner: string }): boolean => {
  const bytes = raw.toLowerCase()
  const [first, last] = [word(BigInt(owner)), word(nonce)]
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes.startsWith(last, at + 2 * NONCE_AT)) return true
  }
  return false
}
