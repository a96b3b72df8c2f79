/**
 * The rules of money, checked from outside: what the chains and the database say after a fault, compared. It reads tables and
 * logs itself and uses none of the service's code, so that it does not share its mistakes.
 */
import type { Hex } from "viem"
import * as Orders from "./Orders.ts"

/** One `Swept` event. */
export interface Settlement {
  readonly chainId: number
  readonly orderHash: Hex
  readonly txHash: Hex
  /** Position among the transaction's own logs. */
  readonly eventIndex: number
  readonly owner: string
  readonly token: string
  readonly amountIn: bigint
  readonly feeAmount: bigint
  /** Account that received the fee. */
  readonly feeRecipient: string
  readonly builder: string
  readonly builderFee: bigint
  readonly destChainId: number
  readonly tokenOut: string
  readonly amountOut: bigint
  readonly destination: string
}

/** A payout of a bridge on the destination chain. */
export interface Delivery {
  readonly chainId: number
  readonly originChainId: number
  readonly token: string
  readonly amount: bigint
  readonly recipient: string
}

/** Change of an account's balance of a token by sweeps. Gifts and thefts of the test itself are excluded. */
export interface Change {
  readonly chainId: number
  readonly account: string
  /** True if the account receives the chain's protocol fees. */
  readonly takesFees: boolean
  readonly token: string
  readonly amount: bigint
}

/** A transaction in a canonical block that one of the service's lanes sent. */
export interface LaneTransaction {
  readonly chainId: number
  readonly lane: string
  readonly nonce: number
  readonly hash: Hex
}

export interface StoredIntent {
  readonly id: string
  readonly chainId: number
  readonly orderHash: Hex
  readonly status: string
  readonly builderId: string | null
  /** The events of its history, oldest first. */
  readonly history: ReadonlyArray<string>
}

export interface StoredTransaction {
  readonly chainId: number
  readonly lane: string
  readonly nonce: number
  readonly status: string
  readonly hashes: ReadonlyArray<Hex>
}

export interface OutboxRow {
  readonly key: string
  readonly token: string
  readonly amount: string
}

/** All that counts, on both sides. Lanes and database are new, so everything of theirs is there. */
export interface Observed {
  /** The intents whose submission was answered 201. */
  readonly acknowledged: ReadonlyArray<string>
  readonly settlements: ReadonlyArray<Settlement>
  readonly mined: ReadonlyArray<LaneTransaction>
  readonly intents: ReadonlyArray<StoredIntent>
  readonly transactions: ReadonlyArray<StoredTransaction>
  readonly outbox: ReadonlyArray<OutboxRow>
  /** Idempotency keys of what the builder backend was told. */
  readonly booked: ReadonlyArray<string>
  readonly deliveries: ReadonlyArray<Delivery>
  /** Orders that owners signed, alone or as legs. */
  readonly signed: ReadonlyArray<Orders.SignedOrder>
  /** Ids of the legs of each batch that was submitted. */
  readonly batches: ReadonlyArray<ReadonlyArray<string>>
  /** Of accounts that nothing but sweeps moves; of as many as the test watches. */
  readonly changes: ReadonlyArray<Change>
}

const ENDED = new Set(["delivered", "failed"])

/** Every way through the life of an intent, by where it led. */
const HISTORIES: Readonly<Record<string, ReadonlyArray<string>>> = {
  quoted: [""],
  submitted: ["Submitted"],
  settled_source: ["Submitted,SettledAtSource"],
  delivered: ["Submitted,SettledAtSource,Delivered"],
  failed: ["Submitted,Failed", "Submitted,SettledAtSource,Failed"]
}

const sorted = (keys: ReadonlyArray<string>) => keys.toSorted()

/** Acknowledged intents that are not there. */
export const lost = ({ acknowledged, intents }: Observed): ReadonlyArray<string> => {
  const known = new Set(intents.map(({ id }) => id))
  return acknowledged.filter((id) => !known.has(id))
}

const orderKey = ({ chainId, orderHash }: Pick<Settlement, "chainId" | "orderHash">) => `${chainId} ${orderHash}`

/** Orders that settled more than once. */
export const double = ({ settlements }: Observed): ReadonlyArray<string> =>
  [...Map.groupBy(settlements, orderKey)].flatMap(([key, events]) => (events.length > 1 ? [key] : []))

const intentFindings = (observed: Observed) => {
  const { acknowledged, intents, settlements } = observed
  const statuses = new Map(intents.map(({ id, status }) => [id, status]))
  const counts = Map.groupBy(settlements, orderKey)
  return [
    ...lost(observed).map((id) => `acknowledged ${id} is lost`),
    ...double(observed).map((order) => `order ${order} settled more than once`),
    ...acknowledged.flatMap((id) => {
      const status = statuses.get(id)
      return status === undefined || ENDED.has(status) ? [] : [`acknowledged ${id} is ${status}`]
    }),
    ...intents.flatMap((intent) => {
      const { history, id, status } = intent
      const isSettled = history.includes("SettledAtSource")
      const count = counts.get(orderKey(intent))?.length ?? 0
      return [
        ...(count === (isSettled ? 1 : 0) ? [] : [`${id} is ${status} and was settled ${count} times`]),
        ...(HISTORIES[status]?.includes(history.join(",")) ? [] : [`${id} is ${status} after ${history.join(",")}`])
      ]
    })
  ]
}

const laneFindings = ({ mined, transactions }: Observed) => {
  const laneOf = ({ chainId, lane }: Pick<LaneTransaction, "chainId" | "lane">) => `${lane} on ${chainId}`
  const lanes = [...new Set([...mined, ...transactions].map(laneOf))]
  return [
    ...lanes.flatMap((lane) => {
      const noncesOf = (of: ReadonlyArray<LaneTransaction | StoredTransaction>) =>
        of
          .filter((each) => laneOf(each) === lane)
          .map(({ nonce }) => nonce)
          .toSorted((a, b) => a - b)
      const [onChain, stored] = [noncesOf(mined), noncesOf(transactions)]
      const expected = Array.from(stored, (_, nonce) => nonce)
      const shown = `${lane}: stored ${stored.join(" ")}, mined ${onChain.join(" ")}`
      return String(stored) === String(expected) && String(onChain) === String(expected) ? [] : [`gap in ${shown}`]
    }),
    ...mined.flatMap((transaction) =>
      transactions.some((row) => laneOf(row) === laneOf(transaction) && row.hashes.includes(transaction.hash))
        ? []
        : [`${transaction.hash} of ${laneOf(transaction)} was mined and is not recorded`]
    ),
    ...transactions.flatMap((row) =>
      row.status === "final" ? [] : [`nonce ${row.nonce} of ${laneOf(row)} is ${row.status}`]
    )
  ]
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The fee recipient sells what it collected. Its fee returns to it, and is no revenue. */
const isOwnSale = ({ destination, feeRecipient, owner }: Settlement) =>
  same(owner, feeRecipient) && same(destination, feeRecipient)

/** Amounts that the settlements of known orders owe, ordered by key. */
const owed = ({ intents, settlements }: Observed): ReadonlyArray<OutboxRow> => {
  const known = new Map(intents.map((intent) => [orderKey(intent), intent]))
  return settlements.flatMap((settlement) => {
    const { builderFee, eventIndex, feeAmount, token, txHash } = settlement
    const intent = known.get(orderKey(settlement))
    if (intent === undefined) return []
    const sweepId = `${txHash}_${eventIndex}`
    const isAccrued = intent.builderId !== null && builderFee > 0n
    return [
      ...(isOwnSale(settlement) ? [] : [{ key: `revenue:${sweepId}`, token, amount: feeAmount.toString() }]),
      ...(isAccrued ? [{ key: `accrual:${sweepId}`, token, amount: builderFee.toString() }] : [])
    ]
  })
}

/** Which of two sorted lists has what the other one lacks; a repetition counts. */
const differences = (aHas: string, a: ReadonlyArray<string>, bHas: string, b: ReadonlyArray<string>) => {
  if (String(a) === String(b)) return []
  const [inA, inB] = [new Set(a), new Set(b)]
  const onlyA = a.filter((each) => !inB.has(each))
  const onlyB = b.filter((each) => !inA.has(each))
  return [
    `${aHas} ${a.length} entries, of which only there: ${onlyA}; ${bHas} ${b.length}, of which only there: ${onlyB}`
  ]
}

const bookFindings = (observed: Observed) => {
  const [expected, actual] = [owed(observed), observed.outbox].map((rows) =>
    sorted(rows.map(({ amount, key, token }) => `${key} ${amount} ${token.toLowerCase()}`))
  )
  const booked = sorted([...new Set(observed.booked)])
  const keys = sorted(observed.outbox.map(({ key }) => key))
  return [
    ...differences("the outbox has", actual ?? [], "the chains say", expected ?? []),
    ...differences("the backend was told", booked, "the outbox has", keys)
  ]
}

/** Amount that sweeps add to an account's balance of a token. */
const moved = ({ account, chainId, takesFees, token }: Change, { deliveries, settlements }: Observed) =>
  deliveries
    .filter((each) => each.chainId === chainId && same(each.token, token) && same(each.recipient, account))
    .reduce((sum, { amount }) => sum + amount, 0n) +
  settlements
    .filter((event) => event.chainId === chainId)
    .reduce((sum, event) => {
      const isIn = same(event.token, token)
      const isOut = same(event.tokenOut, token) && event.destChainId === chainId && same(event.destination, account)
      return (
        sum -
        (isIn && same(event.owner, account) ? event.amountIn : 0n) +
        (isIn && takesFees ? event.feeAmount : 0n) +
        (isIn && same(event.builder, account) ? event.builderFee : 0n) +
        (isOut ? event.amountOut : 0n)
      )
    }, 0n)

/** Every sweep to another chain arrived there once, at its destination. */
const deliveryFindings = ({ deliveries, settlements }: Observed) => {
  const due = sorted(
    settlements
      .filter(({ chainId, destChainId }) => chainId !== destChainId)
      .map(({ chainId, destChainId, destination }) => `${chainId} to ${destChainId} for ${destination.toLowerCase()}`)
  )
  const made = sorted(
    deliveries.map(
      ({ chainId, originChainId, recipient }) => `${originChainId} to ${chainId} for ${recipient.toLowerCase()}`
    )
  )
  return differences("the bridge delivered", made, "the settlements ask for", due)
}

/** Money neither appears nor disappears. */
const moneyFindings = (observed: Observed) =>
  observed.changes.flatMap((change) => {
    const expected = moved(change, observed)
    const { account, amount, chainId, token } = change
    return amount === expected
      ? []
      : [`${account} has ${amount} of ${token} on ${chainId}, and its settlements say ${expected}`]
  })

/** Every leg is accepted with its batch, and settles exactly as it was signed. So does an order that was signed alone. */
const orderFindings = ({ batches, intents, settlements, signed }: Observed) => [
  ...Orders.torn(batches, intents),
  ...Orders.misread(signed, intents),
  ...Orders.inexact(signed, settlements)
]

/** Violations of the rules of money. Empty if all rules hold. */
export const findings = (observed: Observed): ReadonlyArray<string> => [
  ...intentFindings(observed),
  ...orderFindings(observed),
  ...laneFindings(observed),
  ...bookFindings(observed),
  ...deliveryFindings(observed),
  ...moneyFindings(observed)
]
