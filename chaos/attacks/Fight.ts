/** Everything that an attacker does: has owners, gets quotes, submits, watches the lanes' transactions and runs ahead of them. */
import { Effect } from "effect"
import { type Hex, parseTransaction, type PrivateKeyAccount } from "viem"
import { type Call, isSend, pass } from "../../test/support/FaultProxy.ts"
import type { World } from "../World.ts"
import * as AttackerClients from "./AttackerClients.ts"
import * as Batches from "./Batches.ts"
import * as Clients from "./Clients.ts"
import type { Market } from "./Market.ts"
import type { Reach } from "./Reach.ts"
import * as Purse from "./Purse.ts"
import type * as Sender from "./Sender.ts"
import * as Token from "./Token.ts"

/** Clients of an attacker, each with an address in a network of its own. */
const ADDRESSES = 200

/** Requests of an attacker at the same time. */
const CONCURRENCY = 8

/** Time in which all sweeps of an attack are sent, refused or postponed, in milliseconds. */
const CONCLUSION_MILLIS = 25_000

/** A postponed sweep may be claimed again, so nothing under way counts only after this many looks in a row. */
const LOOKS = 6
const LOOK_MILLIS = 250

/** Size of an attack and what it has at hand. */
export interface Options {
  /** Owners of an attack that has no number of its own. */
  readonly size: number
  /** Owners of the attack with many. */
  readonly sybils: number
}

/** Counts of what the service answered. */
export interface Tally {
  quoted: number
  submitted: number
  /** Deeds of the attack on a chain, most of them ahead of a lane, and the causes of those that failed. */
  deeds: number
  readonly failedDeeds: Array<string>
  /** Number of refusals by their cause. */
  readonly refused: Map<string, number>
}

const note = ({ refused }: Tally, what: string, { status, text }: Clients.Refusal) => {
  const key = `${what}: ${status} ${text}`.slice(0, 120)
  refused.set(key, (refused.get(key) ?? 0) + 1)
}

export interface Order {
  readonly tokenIn: Hex
  readonly amountIn: bigint
  readonly tokenOut?: Hex
  /** Default: the attacker's own account. */
  readonly destination?: Hex
  readonly isAttributed?: boolean
}

/** Number of these sweeps in transactions that are not final. */
const underWay = ({ sql }: World, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed(0)
    : Effect.map(
        sql<{ count: number }>`
          SELECT count(*)::int AS count FROM orchestrator.relay_transactions t
          JOIN orchestrator.relay_transaction_intents l ON l.transaction_id = t.id
          WHERE t.status <> 'final' AND ${sql.in("l.intent_id", ids)}`,
        ([row]) => row?.count ?? 0
      )

/** Waits until none of these sweeps is under way, within the limit: postponed sweeps may stay for long. */
const conclusion = Effect.fnUntraced(function* (world: World, ids: ReadonlyArray<string>) {
  const until = performance.now() + CONCLUSION_MILLIS
  let quiet = 0
  while (quiet < LOOKS && performance.now() < until) {
    yield* Effect.sleep(LOOK_MILLIS)
    quiet = (yield* underWay(world, ids)) === 0 ? quiet + 1 : 0
  }
})

/** Number of these sweeps that have not settled or ended. */
const undecided = ({ sql }: World, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed(0)
    : Effect.map(
        sql<{ count: number }>`
          SELECT count(*)::int AS count FROM orchestrator.intent_states
          WHERE status = 'submitted' AND ${sql.in("id", ids)}`,
        ([row]) => row?.count ?? 0
      )

/** Numbers of these sweeps that settled, and that failed at the relayer's cost. */
const endedOf = ({ sql }: World, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed({ settled: 0, burned: 0 })
    : Effect.map(
        sql<{ settled: number; burned: number }>`
          SELECT count(*) FILTER (WHERE s.status IN ('settled_source', 'delivered'))::int AS settled,
            count(*) FILTER (WHERE s.burned_at IS NOT NULL OR g.burned)::int AS burned
          FROM orchestrator.intent_states s LEFT JOIN orchestrator.given_up_intents g ON g.intent_id = s.id
          WHERE ${sql.in("s.id", ids)}`,
        ([row]) => row ?? { settled: 0, burned: 0 }
      )

/** Waits until every one of these sweeps has settled or ended, within the limit. */
const settlement = Effect.fnUntraced(function* (world: World, ids: ReadonlyArray<string>) {
  const until = performance.now() + CONCLUSION_MILLIS
  while ((yield* undecided(world, ids)) > 0 && performance.now() < until) yield* Effect.sleep(LOOK_MILLIS)
})

const counted = (tally: Tally, deed: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.match(deed, {
    onSuccess: () => void (tally.deeds += 1),
    onFailure: (error) => void tally.failedDeeds.push(String(error))
  })

/** Deed ahead of a transaction of a lane. It is given the lane's tip and one wei. Undefined: this transaction needs none. */
export type Deed = (tip: bigint, raw: Hex) => Effect.Effect<unknown, unknown> | undefined

/**
 * Runs `ahead` before each transaction of a lane that carries a sweep of these owners, until the scope closes, and counts it. Addresses
 * are in lower case. `outbid` is told the lane's tip and one wei of every transaction of a lane.
 */
const runAhead = (
  { slots }: World,
  owners: ReadonlySet<string>,
  tally: Tally,
  ahead: Deed,
  outbid: (tip: bigint) => void
) => {
  const carries = ({ params }: Call): boolean => {
    const raw = String(params[0]).toLowerCase()
    return [...owners].some((owner) => raw.includes(owner.slice(2)))
  }
  return Effect.forEach(
    slots,
    ({ alpha: node }) =>
      Effect.acquireRelease(
        node.react((call) => {
          if (!isSend(call)) return pass
          const raw = call.params[0] as Hex
          const tip = (parseTransaction(raw).maxPriorityFeePerGas ?? 0n) + 1n
          outbid(tip)
          const deed = carries(call) ? ahead(tip, raw) : undefined
          if (deed === undefined) return pass
          return (forward) => Effect.andThen(counted(tally, deed), forward)
        }),
        () => node.react(() => pass)
      ),
    { discard: true }
  )
}

/** Makes `submit(sweeps)`, which notes the ids of the sweeps that are accepted, and counts refusals. */
const submitting = (
  client: () => Pick<ReturnType<Effect.Success<typeof AttackerClients.make>["at"]>, "submit">,
  tally: Tally,
  ids: Array<string>
) =>
  Effect.fnUntraced(function* (sweeps: ReadonlyArray<Clients.Signed>) {
    yield* Effect.forEach(
      sweeps,
      Effect.fnUntraced(function* (sweep) {
        const refused = yield* client().submit(sweep)
        if (refused !== undefined) return note(tally, "submission", refused)
        tally.submitted += 1
        ids.push(sweep.id)
      }),
      { concurrency: CONCURRENCY, discard: true }
    )
  })

export const make = Effect.fnUntraced(function* (world: World, market: Market, options: Options) {
  const { alpha, slots } = world
  const { dev } = alpha
  const purse = yield* Purse.make(alpha)
  const owners = new Set<string>()
  const ids: Array<string> = []
  const tally: Tally = { quoted: 0, submitted: 0, deeds: 0, failedDeeds: [], refused: new Map() }
  const findings: Array<string> = []
  let turn = 0
  let tip = 1n

  const clients = yield* AttackerClients.make
  const site: Clients.Site = { info: { id: alpha.info.id, name: alpha.info.name } }

  const clientAt = (url: string, from: string) => clients.at(url, site, from)

  const client = (address = (turn % ADDRESSES) + 1) => {
    const slot = slots[turn++ % slots.length]
    return clientAt(slot?.url ?? "", `203.${address}.113.7`)
  }

  const newOwners = Effect.fnUntraced(function* (count: number) {
    const made = yield* clients.owners(count)
    for (const { address } of made) owners.add(address.toLowerCase())
    return made
  })

  /** Quotes and signs a sweep of each owner. The output goes to the attacker's own account. Refusals are counted. */
  const quotes = Effect.fnUntraced(function* (from: ReadonlyArray<PrivateKeyAccount>, order: Order) {
    const answers = yield* Effect.forEach(
      from,
      (owner) => client().quote({ tokenOut: dev.tokens.USDC, destination: purse.account.address, ...order, owner }),
      { concurrency: CONCURRENCY }
    )
    return answers.flatMap((answer) => {
      if (Clients.isRefusal(answer)) {
        note(tally, "quote", answer)
        return []
      }
      tally.quoted += 1
      return [answer]
    })
  })

  const submit = submitting(client, tally, ids)

  return {
    ...options,
    world,
    place: alpha,
    market,
    purse,
    tally,
    findings,
    owners: newOwners,
    isOwner: (address: string) => owners.has(address.toLowerCase()),
    ownerAddresses: owners as ReadonlySet<string>,
    clientAt,
    quotes,
    submit,
    /** Does a deed of the attack, and counts it. A failure ends nothing. */
    counted: (deed: Effect.Effect<unknown, unknown>) => counted(tally, deed),
    /** Quotes, signs and submits a batch of each owner, of all that it has of these tokens. */
    sweepAll: Batches.make(world, { ids, tally, refused: (what, answer) => note(tally, what, answer) }),
    /** Waits until nothing of the attack is under way, within the limit. */
    concluded: conclusion(world, ids),
    /** Waits also for sweeps that wait for a lower price of gas, within the limit. */
    settled: settlement(world, ids),
    /** Numbers of its sweeps that settled, and that failed at the relayer's cost. */
    ended: Effect.suspend(() => endedOf(world, ids)),
    /** Runs `ahead` before each transaction of a lane that carries a sweep of the attack, until the scope closes. */
    aheadOfSends: (ahead: Deed) =>
      runAhead(world, owners, tally, ahead, (outbidding) => {
        tip = outbidding
      }),
    /** Tip that outbids the last transaction of a lane, in wei per gas. */
    tip: () => tip,
    /** Signs a call as the first transaction of each owner, in the thread of the clients. */
    signFirst: (from: ReadonlyArray<PrivateKeyAccount>, call: Sender.Call) =>
      clients.signFirst(alpha.info.id, from, call),
    /** Sends a call as the first transaction of each owner, in one request that waits for no block. */
    sendFirst: (from: ReadonlyArray<PrivateKeyAccount>, call: Sender.Call) =>
      clients.sendFirst(alpha.info.id, dev.node.rpcUrl, from, call),
    token: (terms?: Token.Terms) => Token.deploy(alpha, purse, terms),
    /** A transaction of one of its owners, sent without waiting for a block. */
    sendAs: (owner: PrivateKeyAccount, call: Sender.Call) => dev.node.ask("send", () => purse.send(call, owner))
  }
})

export type Fight = Effect.Success<ReturnType<typeof make>>

export interface Attack {
  readonly name: string
  /** One sentence: what the attacker does. */
  readonly about: string
  /** Tokens that are swept: those of the operator's lists, or the attacker's own. */
  readonly tokens: "listed" | "unlisted"
  /** Loss that its settings allow, in wei. Default: the budget of its tokens. */
  readonly budget?: bigint
  /** More settings of the service, by their names in the environment, while the attack lasts. */
  readonly settings?: (world: World) => Effect.Effect<Readonly<Record<string, string>>, unknown>
  /** Least effect of the attack. An attack without it was not played. */
  readonly expects: Reach
  readonly play: (fight: Fight) => Effect.Effect<void, unknown>
}
