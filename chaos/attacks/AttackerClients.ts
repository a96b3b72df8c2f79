/**
 * Clients of an attacker, in a thread of their own. The run's thread carries what the services say to their nodes and to their
 * database, so signatures of thousands of owners there would delay what is measured.
 */
import { Deferred, Effect } from "effect"
import type { Hex, PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type * as Clients from "./Clients.ts"
import type * as Sender from "./Sender.ts"

interface Sent {
  readonly url: string
  readonly place: Clients.Site
  /** Address of the client, as the proxy writes it. */
  readonly from: string
}

/** A transaction of an owner that has sent none before. */
export interface FirstTransaction {
  readonly key: Hex
  readonly chainId: number
  readonly call: Sender.Call
}

/** Request to the thread. */
export type Task =
  | (Sent & { readonly kind: "quote"; readonly request: Omit<Clients.Request, "owner"> & { readonly key: Hex } })
  | (Sent & { readonly kind: "submit"; readonly sweep: Pick<Clients.Signed, "signed"> })
  /** Signs transactions, so that they can be sent at once. */
  | { readonly kind: "sign"; readonly transactions: ReadonlyArray<FirstTransaction> }
  /** Sends transactions in one request to a node. Those that were not signed in advance with this tip are signed first. */
  | { readonly kind: "send"; readonly rpcUrl: string; readonly transactions: ReadonlyArray<FirstTransaction> }

/** Undefined: the submission was accepted, or the task is done. */
export type Answer = Omit<Clients.Signed, "owner"> | Clients.Refusal | undefined

/** Owners that are made without a pause. Each takes half a millisecond. */
const MADE_AT_ONCE = 8

export const make = Effect.gen(function* () {
  const keys = new Map<string, Hex>()
  const asked = new Map<number, Deferred.Deferred<Answer, Error>>()
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(new URL("ClientWorker.ts", import.meta.url))),
    (thread) => Effect.promise(async () => thread.terminate())
  )
  const settle = (number: number, exit: Effect.Effect<Answer, Error>) => {
    const waiting = asked.get(number)
    asked.delete(number)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, exit)
  }
  worker.addEventListener("message", ({ data }: MessageEvent<{ readonly number: number; readonly answer: Answer }>) =>
    settle(data.number, Effect.succeed(data.answer))
  )
  worker.addEventListener("error", ({ message }) => {
    for (const number of asked.keys()) settle(number, Effect.fail(new Error(message)))
  })

  let count = 0
  const ask = (task: Task): Effect.Effect<Answer> =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<Answer, Error>()
      count += 1
      asked.set(count, answer)
      worker.postMessage({ number: count, task }, [])
      return yield* Deferred.await(answer)
    }).pipe(Effect.orDie)

  const firstOf = (chainId: number, owners: ReadonlyArray<PrivateKeyAccount>, call: Sender.Call) =>
    owners.map(({ address }): FirstTransaction => {
      const key = keys.get(address)
      if (key === undefined) throw new Error(`${address} is no owner of the attack`)
      return { key, chainId, call }
    })

  return {
    /** Signs a call as the first transaction of each owner, so that `sendFirst` only sends it. */
    signFirst: (chainId: number, owners: ReadonlyArray<PrivateKeyAccount>, call: Sender.Call) =>
      ask({ kind: "sign", transactions: firstOf(chainId, owners, call) }),
    /** Sends a call as the first transaction of each owner, without waiting for a block. */
    sendFirst: (chainId: number, rpcUrl: string, owners: ReadonlyArray<PrivateKeyAccount>, call: Sender.Call) =>
      ask({ kind: "send", rpcUrl, transactions: firstOf(chainId, owners, call) }),
    /** New accounts. Only these can quote. */
    owners: Effect.fnUntraced(function* (number: number) {
      const owners: Array<PrivateKeyAccount> = []
      while (owners.length < number) {
        if (owners.length % MADE_AT_ONCE === 0) yield* Effect.sleep(0)
        const key = generatePrivateKey()
        const owner = privateKeyToAccount(key)
        keys.set(owner.address, key)
        owners.push(owner)
      }
      return owners as ReadonlyArray<PrivateKeyAccount>
    }),
    /** A client at `from`, an IP address as the proxy writes it. */
    at: (url: string, place: Clients.Site, from: string) => ({
      quote: Effect.fnUntraced(function* ({ owner, ...request }: Clients.Request) {
        const key = keys.get(owner.address)
        if (key === undefined) return yield* Effect.die(new Error(`${owner.address} is no owner of the attack`))
        const answer = yield* ask({ kind: "quote", url, place, from, request: { ...request, key } })
        if (answer === undefined) return yield* Effect.die(new Error("a quote has an answer"))
        return "status" in answer ? answer : { ...answer, owner }
      }),
      /** Undefined if the submission was accepted. */
      submit: Effect.fnUntraced(function* ({ signed }: Clients.Signed) {
        const answer = yield* ask({ kind: "submit", url, place, from, sweep: { signed } })
        return answer !== undefined && "status" in answer ? answer : undefined
      })
    })
  }
})
