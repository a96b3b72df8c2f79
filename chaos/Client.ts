/** Somebody who keeps sweeping, whatever happens to the service, and writes down for good what was acknowledged. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { Effect, type Scope } from "effect"
import type { PrivateKeyAccount, TypedDataDefinition } from "viem"
import * as SweepClient from "../test/support/SweepClient.ts"
import { API_KEY } from "./Backend.ts"
import type { Place } from "./Holdings.ts"
import { type ServedOrder, type SignedOrder, signedOrder } from "./Orders.ts"

/** A quoted order and its owner's signature. */
export interface Sweep {
  readonly id: string
  readonly owner: PrivateKeyAccount
  readonly signed: SweepClient.Signed
}

/** Quoted orders of one owner, and the owner's one signature. */
export interface Batch {
  /** That of its first leg. */
  readonly id: string
  readonly legs: readonly [SignedOrder, ...ReadonlyArray<SignedOrder>]
  readonly owner: PrivateKeyAccount
  readonly signed: SweepClient.SignedBatch
}

export const idsOf = (offered: Sweep | Batch): ReadonlyArray<string> =>
  "legs" in offered ? offered.legs.map(({ id }) => id) : [offered.id]

/** Tokens to sweep under one signature, and what for. */
export interface BatchRequest {
  readonly tokens: ReadonlyArray<{ readonly place: Place; readonly symbol: string; readonly amount: bigint }>
  readonly destination: Place
  readonly tokenOut: string
}

/** `unknown`: there was no answer, or one that leaves it open. */
type Answer = "acknowledged" | "refused" | "unknown"

export interface Client {
  /** Undefined where the service gives none just now. */
  readonly quote: (
    url: string,
    owner: PrivateKeyAccount,
    request: Omit<SweepClient.SweepRequest, "owner">
  ) => Effect.Effect<Sweep | undefined>
  /** Signs the tokens that were quoted. Undefined where the service quotes none just now. */
  readonly quoteBatch: (
    url: string,
    owner: PrivateKeyAccount,
    request: BatchRequest
  ) => Effect.Effect<Batch | undefined>
  readonly submit: (url: string, offered: Sweep | Batch) => Effect.Effect<Answer>
  /** Finds out about submissions that had no answer, as clients do: submits again what is still only quoted. */
  readonly followUp: (url: string) => Effect.Effect<void>
  /** Bodies of the refused submissions, by the id of the sweep. */
  readonly refusals: ReadonlyMap<string, string>
  /** Ids of the log, read back from the disk. */
  readonly acknowledged: () => ReadonlyArray<string>
  /** All orders that were signed, submitted or not. */
  readonly signed: () => ReadonlyArray<SignedOrder>
  /** Ids of the legs of each batch that was submitted. */
  readonly batches: () => ReadonlyArray<ReadonlyArray<string>>
}

const ANSWER_MILLIS = 20_000

/** No answer, whatever the reason, is status 0. */
const asked = (answer: () => Promise<SweepClient.Answer>) =>
  Effect.tryPromise(answer).pipe(
    Effect.timeout(ANSWER_MILLIS),
    Effect.match({ onFailure: () => undefined, onSuccess: (found) => found })
  )

/** Domain and fields of the served typed data, from which the digest of each order follows. */
const typesOf = (typedData: TypedDataDefinition) => ({
  members: typedData.types["SweepOrder"] ?? [],
  name: String(typedData.domain?.name),
  version: String(typedData.domain?.version)
})

const orderOf = (answer: SweepClient.Answer): SignedOrder =>
  signedOrder(
    answer.string("quote.id"),
    Number(answer.at("quote.sourceChainId")),
    answer.at<ServedOrder>("order"),
    typesOf(answer.at<TypedDataDefinition>("signing.typedData"))
  )

interface Entry {
  readonly quote?: { readonly id: string; readonly sourceChainId: number }
  readonly order?: ServedOrder
}

const legsOf = (answer: SweepClient.Answer): ReadonlyArray<SignedOrder> => {
  const offered = answer.at<ReadonlyArray<Entry>>("quotes")
  if (offered.every(({ quote }) => quote === undefined)) return []
  const types = typesOf(answer.at<TypedDataDefinition>("signing.typedData"))
  return offered.flatMap(({ order, quote }) =>
    order === undefined || quote === undefined ? [] : [signedOrder(quote.id, quote.sourceChainId, order, types)]
  )
}

const batchBody = (owner: PrivateKeyAccount, { destination, tokenOut, tokens }: BatchRequest) => ({
  owner: owner.address,
  destination: owner.address,
  destChainId: destination.info.id,
  tokenOut: SweepClient.tokenOf(destination.info, tokenOut).address,
  tokens: tokens.map(({ amount, place, symbol }) => ({
    chainId: place.info.id,
    token: SweepClient.tokenOf(place.info, symbol).address,
    amount: amount.toString(),
    tier: "tier1"
  })),
  userId: "chaos",
  subscriptionActive: false,
  apiKey: API_KEY
})

/** A batch is repeated under one `Idempotency-Key`, as clients do that must not submit twice. */
const send = (url: string, offered: Sweep | Batch): Promise<SweepClient.Answer> => {
  const { post, submit } = SweepClient.make(url)
  return "legs" in offered ? post("/sweeps", offered.signed, { "idempotency-key": offered.id }) : submit(offered.signed)
}

/** Its log is the file, which must not exist. */
export const make = Effect.fn("Client.make")(function* (logFile: string): Effect.fn.Return<Client, never, Scope.Scope> {
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openSync(logFile, "ax")),
    (file) => Effect.sync(() => closeSync(file))
  )
  /** Submissions without a clear answer. */
  const open = new Map<string, Sweep | Batch>()
  const refusals = new Map<string, string>()
  const orders: Array<SignedOrder> = []
  const batches = new Map<string, ReadonlyArray<string>>()

  const acknowledge = (offered: Sweep | Batch): Answer => {
    writeSync(
      log,
      idsOf(offered)
        .map((id) => `${id}\n`)
        .join("")
    )
    fsyncSync(log)
    open.delete(offered.id)
    return "acknowledged"
  }

  const quote: Client["quote"] = Effect.fnUntraced(function* (url, owner, request) {
    const body = { ...SweepClient.quoteBody({ ...request, owner: owner.address }), apiKey: API_KEY }
    const answer = yield* asked(() => SweepClient.make(url).post("/quote", body))
    if (answer?.status !== 200) return undefined
    const signed = yield* Effect.promise(() => SweepClient.sign(owner, answer))
    orders.push(orderOf(answer))
    return { id: signed.quoteId, owner, signed }
  })

  const quoteBatch: Client["quoteBatch"] = Effect.fnUntraced(function* (url, owner, request) {
    const answer = yield* asked(() => SweepClient.make(url).post("/quotes", batchBody(owner, request)))
    if (answer?.status !== 200) return undefined
    const [first, ...others] = legsOf(answer)
    if (first === undefined) return undefined
    const signed = yield* Effect.promise(() => SweepClient.signBatch(owner, answer))
    orders.push(first, ...others)
    return { id: first.id, legs: [first, ...others], owner, signed }
  })

  const submit: Client["submit"] = Effect.fnUntraced(function* (url, offered) {
    const { id } = offered
    if ("legs" in offered) batches.set(id, idsOf(offered))
    open.set(id, offered)
    const answer = yield* asked(() => send(url, offered))
    if (answer?.status === 201) return acknowledge(offered)
    if (answer?.status === 400 || answer?.status === 422) {
      open.delete(id)
      refusals.set(id, answer.text)
      return "refused"
    }
    return "unknown"
  })

  const followUp: Client["followUp"] = Effect.fnUntraced(function* (url) {
    yield* Effect.forEach(
      [...open.values()],
      Effect.fnUntraced(function* (offered) {
        const answer = yield* asked(() => SweepClient.make(url).get(`/intents/${offered.id}`))
        if (answer?.status !== 200) return
        if (answer.string("status") === "quoted") yield* submit(url, offered)
        // The service says that it has it, which is as good. A batch is accepted whole, which the checker verifies.
        else acknowledge(offered)
      }),
      { concurrency: 4, discard: true }
    )
  })

  return {
    quote,
    quoteBatch,
    submit,
    followUp,
    refusals,
    acknowledged: () => readFileSync(logFile, "utf8").split("\n").filter(Boolean),
    signed: () => orders,
    batches: () => [...batches.values()]
  }
})
