/**
 * The rules of money, checked from outside: what the chains and the database say after a fault, compared. It reads tables and
 * logs itself and uses none of the service's code, so that it does not share its mistakes.
 */
import type { Hex } from "viem"

/** One `Swept` event. */
export interface Settlement {
  readonly chainId: number
  readonly orderHash: Hex
  readonly txHash: Hex
  /** Position among the transaction's own logs. */
  readonly eventIndex: number
  readonly token: string
  readonly feeAmount: bigint
  readonly builderFee: bigint
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

const intentFindings = ({ acknowledged, intents, settlements }: Observed) => [
  ...acknowledged.flatMap((id) => {
    const status = intents.find((intent) => intent.id === id)?.status
    return status !== undefined && ENDED.has(status) ? [] : [`acknowledged ${id} is ${status ?? "lost"}`]
  }),
  ...intents.flatMap(({ chainId, history, id, orderHash, status }) => {
    const isSettled = history.includes("SettledAtSource")
    const count = settlements.filter((event) => event.chainId === chainId && event.orderHash === orderHash).length
    return [
      ...(count === (isSettled ? 1 : 0) ? [] : [`${id} is ${status} and was settled ${count} times`]),
      ...(HISTORIES[status]?.includes(history.join(",")) ? [] : [`${id} is ${status} after ${history.join(",")}`])
    ]
  })
]

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

/** What the settlements of known orders owe, in the order of its keys. */
const owed = ({ intents, settlements }: Observed): ReadonlyArray<OutboxRow> =>
  settlements.flatMap(({ builderFee, chainId, eventIndex, feeAmount, orderHash, token, txHash }) => {
    const intent = intents.find((each) => each.chainId === chainId && each.orderHash === orderHash)
    if (intent === undefined) return []
    const sweepId = `${txHash}_${eventIndex}`
    const isAccrued = intent.builderId !== null && builderFee > 0n
    return [
      { key: `revenue:${sweepId}`, token, amount: feeAmount.toString() },
      ...(isAccrued ? [{ key: `accrual:${sweepId}`, token, amount: builderFee.toString() }] : [])
    ]
  })

const bookFindings = (observed: Observed) => {
  const [expected, actual] = [owed(observed), observed.outbox].map((rows) =>
    sorted(rows.map(({ amount, key, token }) => `${key} ${amount} ${token.toLowerCase()}`))
  )
  const booked = sorted([...new Set(observed.booked)])
  const keys = sorted(observed.outbox.map(({ key }) => key))
  return [
    ...(String(actual) === String(expected) ? [] : [`the outbox has ${actual}; the chains say ${expected}`]),
    ...(String(booked) === String(keys) ? [] : [`the backend was told ${booked}; the outbox has ${keys}`])
  ]
}

/** What breaks a rule of money; empty where all hold. */
export const findings = (observed: Observed): ReadonlyArray<string> => [
  ...intentFindings(observed),
  ...laneFindings(observed),
  ...bookFindings(observed)
]
