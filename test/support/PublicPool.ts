/**
 * The pool of a public node before a local one, which takes more: a reaction for {@link FaultProxy} that judges each transaction
 * by {@link PoolRules}. It forwards those that it accepts, except of senders that it withholds: theirs stay in the pool and are
 * never mined, as those that pay too little are not. Like many public endpoints, the node does not show them as pending.
 */
import { Effect, Semaphore } from "effect"
import {
  createPublicClient,
  type Hex,
  http,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  size,
  type TransactionSerialized
} from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import { type Call, isSend, pass, type Reaction } from "./FaultProxy.ts"
import { type Account, judge, type Limits, type Pooled, STRICT } from "./PoolRules.ts"

/** A transaction that the node refused, with its answer. */
export interface Refusal {
  readonly raw: Hex
  readonly text: string
}

export interface PublicPool {
  /** Reaction to a call: pass it to `FaultProxy.react`, alone or inside another one. */
  readonly reaction: (call: Call) => Reaction
  /** Keeps the transactions that an account sends from now on, and has none of them mined. */
  readonly withhold: (sender: string) => Effect.Effect<void>
  /** Forgets the transactions of an account that were withheld, as after their lifetime, and withholds no more. */
  readonly drop: (sender: string) => Effect.Effect<void>
  /** Signed bytes that the pool accepted, oldest first. */
  readonly accepted: Effect.Effect<ReadonlyArray<Hex>>
  /** Transactions that it refused, oldest first. */
  readonly refusals: Effect.Effect<ReadonlyArray<Refusal>>
}

/** Reads a signed transaction of type 2 or 4. */
const read = async (raw: Hex): Promise<Pooled> => {
  const tx = parseTransaction(raw)
  const { gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, nonce = 0, value = 0n } = tx
  const authorizations = tx.type === "eip7702" ? (tx.authorizationList ?? []) : []
  const [sender, ...authorities] = await Promise.all([
    recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }),
    ...authorizations.map((authorization) => recoverAuthorizationAddress({ authorization }))
  ])
  return {
    hash: keccak256(raw),
    sender: sender.toLowerCase(),
    nonce: BigInt(nonce),
    maxFeePerGas,
    maxPriorityFeePerGas,
    gas,
    value,
    size: size(raw),
    authorities: authorities.map((authority) => authority.toLowerCase())
  }
}

/** A pool before the node at `nodeUrl`, empty at first. */
export const make = Effect.fn("PublicPool.make")(function* (nodeUrl: string, limits: Limits = STRICT) {
  const node = createPublicClient({ transport: http(nodeUrl) })
  const alone = yield* Semaphore.make(1)
  const accepted: Array<Hex> = []
  const refusals: Array<Refusal> = []
  const withheld = new Set<string>()
  let pooled: ReadonlyArray<Pooled> = []

  const accountOf = async (address: string): Promise<readonly [string, Account]> => {
    const account = { address: address as Hex }
    const [nonce, balance, code] = await Promise.all([
      node.getTransactionCount({ ...account, blockTag: "latest" }),
      node.getBalance(account),
      node.getCode(account)
    ])
    return [address, { nonce: BigInt(nonce), balance, hasCode: code !== undefined && code !== "0x" }]
  }

  const decide = async (tx: Pooled) => {
    const senders = [...new Set([tx.sender, ...pooled.map(({ sender }) => sender)])]
    const [{ gasLimit }, ...accounts] = await Promise.all([node.getBlock(), ...senders.map(accountOf)])
    const known = new Map(accounts)
    const account = (address: string): Account => known.get(address) ?? { nonce: 0n, balance: 0n, hasCode: false }
    // Mined transactions leave the pool.
    pooled = pooled.filter(({ nonce, sender }) => nonce >= account(sender).nonce)
    return judge({ transactions: pooled, account, blockGasLimit: gasLimit }, tx, limits)
  }

  const submit =
    (raw: Hex): Reaction =>
    (forward) =>
      Effect.gen(function* () {
        const tx = yield* Effect.promise(() => read(raw))
        const verdict = yield* Effect.promise(() => decide(tx))
        if ("refused" in verdict) {
          refusals.push({ raw, text: verdict.refused })
          return { error: { code: -32_000, message: verdict.refused } }
        }
        const answer = withheld.has(tx.sender) ? { result: tx.hash } : yield* forward
        if (answer.error !== undefined) return answer
        pooled = [...pooled.filter((each) => each !== verdict.replaces), tx]
        accepted.push(raw)
        return answer
      }).pipe(alone.withPermit)

  return {
    reaction: (call) => (isSend(call) ? submit(call.params[0] as Hex) : pass),
    withhold: (sender) => Effect.sync(() => void withheld.add(sender.toLowerCase())),
    drop: (sender) =>
      Effect.sync(() => {
        withheld.delete(sender.toLowerCase())
        pooled = pooled.filter((each) => each.sender !== sender.toLowerCase())
      }),
    accepted: Effect.sync(() => accepted.slice()),
    refusals: Effect.sync(() => refusals.slice())
  } satisfies PublicPool
})
